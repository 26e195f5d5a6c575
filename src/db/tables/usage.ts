import type { Insertable, Selectable } from 'kysely'
import type { RepoId, UserId } from '../../lib/ids.ts'

/**
 * What accounts store, in bytes, as their quota sees it: one row for each repository and kind, and for what belongs to
 * no repository one for each account and kind. Written in the transactions that change the sizes.
 */
export interface UsageTable {
  /** The account or organization that is charged: the owner of the repository, where there is one. */
  owner_id: UserId
  repo_id: RepoId | null
  /** A `UsageKind` of the quota's rules. */
  kind: string
  size_bytes: number
}

export interface UsageTables {
  usage: UsageTable
}

export type UsageRow = Selectable<UsageTable>
export type NewUsageRow = Insertable<UsageTable>
