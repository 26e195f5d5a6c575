import type { PullRow } from '../db/tables/pulls.ts'

/** The reference of a repository that keeps the head of one of its pull requests. */
export const pullRef = (index: number): string => `refs/pull/${index}/head`

/** Whether the commits come from people who need no right in the repository: from a fork, or pushed for review. */
export const isFromElsewhere = (pull: Pick<PullRow, 'head_repo_id' | 'repo_id' | 'flow'>): boolean =>
  pull.head_repo_id !== pull.repo_id || pull.flow === 1
