import type { Services } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { PullRow } from '../../db/tables/pulls.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { Oid } from '../../lib/ids.ts'
import { loadCommitAuthors } from '../../code/commits/commit-authors.ts'
import { recordMerge } from './merge-record.service.ts'

/** Most commits of the base that are searched for the merge commit. */
const maxSearched = 10_000

/**
 * Marks a pull request merged when its base contains its head. The merger is the account with the email address of the
 * merge commit's author, else the repository's owner.
 * @returns the new row; undefined when the base contained the head from the start
 */
export async function recordManualMerge(
  services: Services,
  repo: RepoRow,
  pull: PullRow,
  base: Oid,
): Promise<PullRow | undefined> {
  const { git, db } = services
  // Equal when an earlier check already found the head in the base; then nothing was merged.
  if (pull.merge_base === pull.synced_oid) return undefined
  const after = await git.logOids(repo.git_key, {
    from: [base],
    not: [pull.synced_oid],
    reverse: true,
    limit: maxSearched,
  })
  const commits = await git.readCommits(repo.git_key, after)
  const reached = new Set<string>([pull.synced_oid])
  let merge: Oid = pull.synced_oid
  let email: string | undefined
  for (const commit of commits) {
    if (!commit.parents.some((parent) => reached.has(parent))) continue
    if (commit.parents.length > 1) {
      merge = commit.oid
      email = commit.author.email
      break
    }
    reached.add(commit.oid)
  }
  email ??= (await git.readCommit(repo.git_key, merge)).author.email
  const author = (await loadCommitAuthors(services, [email])).of(email)
  return transaction(db, (tx) =>
    recordMerge(tx, {
      pullId: pull.id,
      mergeOid: merge,
      mergerId: author?.id ?? repo.owner_id,
      closes: [],
      reopens: [],
      nowMs: services.clock.nowMs(),
      state: 'manual',
    }),
  )
}
