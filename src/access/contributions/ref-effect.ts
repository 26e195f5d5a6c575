import type { Tx } from '../../db/database.ts'
import type { Oid, RepoId } from '../../lib/ids.ts'
import type { Clock } from '../../lib/time.ts'

/** The reference updates that an effect belongs to. */
export interface EffectFacts {
  readonly repoId: RepoId
  readonly moved: readonly { readonly ref: string; readonly old: Oid; readonly new: Oid }[]
  readonly clock: Clock
}

/**
 * What else changes with references, in the same transaction, before `refs.updated` is published. It happens exactly when
 * they move.
 */
export type RefEffect = (tx: Tx, facts: EffectFacts) => Promise<void>
