import type { Services } from '../../access/context.ts'
import type { AuditEntryRow } from '../../db/tables/audit.ts'
import { loadReposWithOwners } from '../../issues/repo-with-owner.store.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'
import { loadUsers } from '../../users/user.store.ts'
import { accountDetails, detailsOf, type AuditedNames } from './audit.rules.ts'

const accountIds = (entry: AuditEntryRow): (number | null)[] => [
  entry.actor_id,
  entry.acted_as_id,
  entry.object_kind === 'account' || entry.object_kind === 'organization' ? entry.object_id : null,
  ...Object.entries(detailsOf(entry)).map(([name, value]) =>
    accountDetails.has(name) && typeof value === 'number' ? value : null,
  ),
]

const repoIds = (entry: AuditEntryRow): (number | null)[] => {
  const { repository } = detailsOf(entry)
  return [
    entry.object_kind === 'repository' ? entry.object_id : null,
    typeof repository === 'number' ? repository : null,
  ]
}

/** Loads what entries name by id, in three queries. */
export async function loadAuditedNames(
  { db }: Pick<Services, 'db'>,
  entries: readonly AuditEntryRow[],
): Promise<AuditedNames> {
  const wanted = new Set(entries.flatMap(repoIds).filter((id) => id !== null) as RepoId[])
  const [accounts, repos] = await Promise.all([
    loadUsers(db, entries.flatMap(accountIds) as (UserId | null)[]),
    loadReposWithOwners(db, wanted),
  ])
  return { accounts, repos }
}
