import type { Act } from '../../audit/audit.ts'
import type { AuditFilter } from '../../audit/audit.store.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { AuditEntryRow } from '../../db/tables/audit.ts'
import type { RepoWithOwner } from '../../issues/repo-with-owner.ts'

/** Returns whether an entry matches the filter, as the store does. */
export function fitsFilter(row: AuditEntryRow, filter: AuditFilter): boolean {
  const { action, outcome, actor, address, objectKind, objectId, sinceMs, beforeMs } = filter
  const isAction = action?.endsWith('.*')
    ? row.action.startsWith(action.slice(0, -1))
    : (action ?? row.action) === row.action
  return (
    isAction &&
    (outcome ?? row.outcome) === row.outcome &&
    (actor ?? row.actor_name) === row.actor_name &&
    (address ?? row.address) === row.address &&
    (objectKind ?? row.object_kind) === row.object_kind &&
    (objectId ?? row.object_id) === row.object_id &&
    row.at_ms >= (sinceMs ?? row.at_ms) &&
    (beforeMs === undefined || row.at_ms < beforeMs)
  )
}

/** Accounts, organizations and repositories that entries name by id and that still exist. */
export interface AuditedNames {
  readonly accounts: ReadonlyMap<number, UserRow>
  readonly repos: ReadonlyMap<number, RepoWithOwner>
}

export type AuditDetails = NonNullable<Act['details']>

/** Returns the details of an entry. */
export const detailsOf = ({ details }: AuditEntryRow): AuditDetails => JSON.parse(details) as AuditDetails

/** Details whose number is the id of an account or organization. */
export const accountDetails: ReadonlySet<string> = new Set(['account', 'for', 'inviter', 'organization'])
