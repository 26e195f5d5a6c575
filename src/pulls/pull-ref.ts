import type { PullRow } from '../db/tables/pulls.ts'

/** Returns the reference of the base repository that keeps the head of a pull request. */
export const pullRef = (index: number): string => `refs/pull/${index}/head`

/** Returns whether the commits may come from accounts without write access: from a fork or a push to `refs/for/`. */
export const isFromElsewhere = (pull: Pick<PullRow, 'head_repo_id' | 'repo_id' | 'flow'>): boolean =>
  pull.head_repo_id !== pull.repo_id || pull.flow === 1
