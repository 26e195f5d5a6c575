import type { Db, Tx } from '../../db/database.ts'
import type { RepoId } from '../../lib/ids.ts'
import type { UsageKind } from './quota.rules.ts'
import type { RepoUsage } from './usage.store.ts'

/** Kinds of usage that a feature writes to the ledger, and how it counts them anew. */
export interface UsageSource {
  readonly kinds: readonly UsageKind[]
  /** What the feature's own rows say that these repositories store of the kinds; what is missing is nothing. */
  count(db: Db | Tx, repoIds: readonly RepoId[]): Promise<readonly RepoUsage[]>
}
