import type { RepoCtx } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { CommitStatusRow } from '../../db/tables/repositories.ts'
import { pluck } from '../../lib/pluck.ts'
import type { Commit } from '../../git/git.ts'
import type { Oid } from '../../lib/ids.ts'
import { verifySignatures, type Verification } from '../../refs/signing/verification.ts'
import { listLatestStatuses } from './commit-status.store.ts'
import { shortCommit } from '../commits/message.rules.ts'
import { loadCommitAuthors } from '../commits/commit-authors.ts'

/** A commit with the accounts of its people, its signature and its checks. */
export interface CommitView {
  readonly commit: Commit
  readonly author: UserRow | undefined
  readonly committer: UserRow | undefined
  readonly verification: Verification
  /** The latest status of each context. */
  readonly statuses: readonly CommitStatusRow[]
}

/** Adds accounts, signatures and statuses to the commits of a list, with one lookup of each. Long messages are cut. */
export const viewCommits = async (ctx: RepoCtx, commits: readonly Commit[]): Promise<readonly CommitView[]> =>
  (await viewWhole(ctx, commits)).map((view) => ({ ...view, commit: shortCommit(view.commit) }))

async function viewWhole(ctx: RepoCtx, commits: readonly Commit[]): Promise<readonly CommitView[]> {
  if (commits.length === 0) return []
  const [authors, verdicts, statuses] = await Promise.all([
    loadCommitAuthors(
      ctx,
      commits.flatMap(({ author, committer }) => [author.email, committer.email]),
    ),
    verifySignatures(ctx, commits),
    listLatestStatuses(ctx.db, ctx.repo.id, pluck(commits, 'oid')),
  ])
  const statusesOf = Map.groupBy(statuses, (status): Oid => status.sha)
  return commits.map((commit, index) => ({
    commit,
    author: authors.of(commit.author.email),
    committer: authors.of(commit.committer.email),
    verification: verdicts[index] ?? { kind: 'unsigned' },
    statuses: statusesOf.get(commit.oid) ?? [],
  }))
}

/** Like `viewCommits`, for one commit with its whole message. */
export async function viewCommit(ctx: RepoCtx, commit: Commit): Promise<CommitView> {
  const [view] = await viewWhole(ctx, [commit])
  return view as CommitView
}
