import type { Insertable, Selectable } from 'kysely'
import type { RepoId, UserId } from '../../lib/ids.ts'

/**
 * Storage use per account in bytes, for quotas: one row per repository and kind, and one row per account and kind for
 * data without a repository. The transactions that change sizes update it.
 */
export interface UsageTable {
  /** The charged account or organization: the owner of the repository, if there is one. */
  owner_id: UserId
  repo_id: RepoId | null
  /** A `UsageKind` (quota rules). */
  kind: string
  size_bytes: number
}

export interface UsageTables {
  usage: UsageTable
}

export type UsageRow = Selectable<UsageTable>
export type NewUsageRow = Insertable<UsageTable>
