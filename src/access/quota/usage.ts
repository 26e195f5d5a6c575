import type { Db, Tx } from '../../db/database.ts'
import type { RepoId } from '../../lib/ids.ts'
import type { UsageKind } from './quota.rules.ts'
import type { RepoUsage } from './usage.store.ts'

/** The kinds of usage that a feature writes, and how to recount them. */
export interface UsageSource {
  readonly kinds: readonly UsageKind[]
  /** Counts the usage of repositories from the feature's own rows. Absent: 0. */
  count(db: Db | Tx, repoIds: readonly RepoId[]): Promise<readonly RepoUsage[]>
}
