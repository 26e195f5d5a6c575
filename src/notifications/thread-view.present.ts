import type { Ctx } from '../access/context.ts'
import type { IssueRow } from '../db/tables/issues.ts'
import type { ThreadRow } from '../db/tables/notifications.ts'
import type { RepoId } from '../lib/ids.ts'
import { pluck } from '../lib/pluck.ts'
import { loadIssues } from '../issues/issue.store.ts'
import { reasonOf, type Reason } from './cause.rules.ts'
import type { RepoWithOwner } from '../issues/repo-with-owner.ts'
import { loadReposWithOwners } from '../issues/repo-with-owner.store.ts'

/** A notification with the rows that a page shows. */
export interface ThreadView extends RepoWithOwner {
  readonly thread: ThreadRow
  /** Undefined when the subject is the repository. */
  readonly issue: IssueRow | undefined
  /** Why it came; undefined when nothing says so. */
  readonly reason: Reason | undefined
}

/** Returns notifications in their order with repositories and subjects, in three queries. Those without a subject are omitted. */
export async function viewThreads({ db }: Pick<Ctx, 'db'>, threads: readonly ThreadRow[]): Promise<ThreadView[]> {
  const [repos, issues] = await Promise.all([
    loadReposWithOwners(db, new Set(threads.map((thread) => thread.repo_id))),
    loadIssues(db, pluck(threads, 'issue_id')),
  ])
  return threads.flatMap((thread) => {
    const repo = repos.get(thread.repo_id)
    const issue = thread.issue_id === null ? undefined : issues.get(thread.issue_id)
    return repo && (thread.issue_id === null || issue)
      ? [{ thread, issue, reason: reasonOf(thread.cause), ...repo }]
      : []
  })
}

/** A repository with the number of its notifications. */
export interface CountedRepo extends RepoWithOwner {
  readonly count: number
}

/** Returns repositories in their order with the numbers of their notifications. */
export async function viewThreadRepos(
  { db }: Pick<Ctx, 'db'>,
  counts: ReadonlyMap<RepoId, number>,
): Promise<CountedRepo[]> {
  const repos = await loadReposWithOwners(db, new Set(counts.keys()))
  return [...counts].flatMap(([id, count]) => {
    const found = repos.get(id)
    return found ? [{ ...found, count }] : []
  })
}
