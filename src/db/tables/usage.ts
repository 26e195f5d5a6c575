import type { Insertable, Selectable } from 'kysely'
import type { RepoId, UserId } from '../../lib/ids.ts'
import { bigint, nullable, ref, table, text, type TablesOf } from '../table.ts'

export const usageTables = {
  /**
   * Storage use per account in bytes, for quotas: one row per repository and kind, and one row per account and kind for
   * data without a repository. The transactions that change sizes update it.
   */
  usage: table(
    {
      /** The charged account or organization: the owner of the repository, if there is one. */
      owner_id: ref<UserId>('user', 'cascade'),
      repo_id: nullable(ref<RepoId>('repo', 'cascade')),
      /** A `UsageKind` (quota rules). */
      kind: text(),
      size_bytes: bigint(),
    },
    {
      indexes: {
        usage_repo: 'unique (repo_id, kind) where repo_id is not null',
        usage_owner: 'unique (owner_id, kind) where repo_id is null',
        usage_sum: '(owner_id, kind, size_bytes)',
      },
    },
  ),
}

export type UsageTables = TablesOf<typeof usageTables>
export type UsageRow = Selectable<UsageTables['usage']>
export type NewUsageRow = Insertable<UsageTables['usage']>
