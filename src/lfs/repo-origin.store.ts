import type { Tx } from '../db/database.ts'
import { hasRow } from '../db/rows.ts'
import type { RepoId } from '../lib/ids.ts'

/** Returns the base of a fork; undefined for other repositories. */
export const findForkBase = async (tx: Tx, repoId: RepoId): Promise<RepoId | undefined> =>
  (await tx.selectFrom('repo').select('fork_id').where('id', '=', repoId).executeTakeFirst())?.fork_id ?? undefined

/** Returns whether a repository has a branch. */
export const hasCommits = (tx: Tx, repoId: RepoId): Promise<boolean> =>
  hasRow(tx.selectFrom('branch').where('repo_id', '=', repoId))
