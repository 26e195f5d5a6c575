import type { Tx } from '../db/database.ts'
import type { RepoId } from '../lib/ids.ts'

/** The repository that a fork was made of; undefined for those that are none. */
export const findForkBase = async (tx: Tx, repoId: RepoId): Promise<RepoId | undefined> =>
  (await tx.selectFrom('repo').select('fork_id').where('id', '=', repoId).executeTakeFirst())?.fork_id ?? undefined

/** Whether a repository has a branch. */
export const hasCommits = async (tx: Tx, repoId: RepoId): Promise<boolean> =>
  (await tx.selectFrom('branch').select('name').where('repo_id', '=', repoId).limit(1).executeTakeFirst()) !== undefined
