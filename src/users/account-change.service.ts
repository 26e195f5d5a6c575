import type { Tx } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { publish } from '../events/hub.ts'
import { isEmpty, oldValues } from '../events/old-values.ts'
import { NotFound } from '../lib/errors.ts'
import type { UserId } from '../lib/ids.ts'
import { findUserForUpdate } from './user.store.ts'

/** Returns the account and locks it until the transaction ends; throws `NotFound` when it does not exist. */
export async function holdAccount(tx: Tx, id: UserId): Promise<UserRow> {
  const row = await findUserForUpdate(tx, id)
  if (!row) throw new NotFound('the user does not exist', 'user_not_found')
  return row
}

const profile = {
  oldFullName: 'full_name',
  oldEmail: 'email',
  oldDescription: 'description',
  oldWebsite: 'website',
  oldLocation: 'location',
  oldVisibility: 'visibility',
} as const

/** Publishes an event with the changed attributes of a person or an organization, if any matter to others. */
export async function publishAccountChange(tx: Tx, before: UserRow, after: UserRow, doerId: UserId): Promise<void> {
  if (before.kind === 'organization') {
    const old = oldValues(before, after, { ...profile, oldRepoAdminChangeTeamAccess: 'repo_admin_change_team_access' })
    if (!isEmpty(old)) await publish(tx, 'org.edited', { orgId: before.id, doerId, ...old })
    return
  }
  const old = oldValues(before, after, {
    ...profile,
    oldPronouns: 'pronouns',
    oldKeepEmailPrivate: 'keep_email_private',
    oldHideActivity: 'hide_activity',
    oldIsAdmin: 'is_admin',
    oldIsRestricted: 'is_restricted',
    oldIsActive: 'is_active',
    oldProhibitLogin: 'prohibit_login',
  })
  if (!isEmpty(old)) await publish(tx, 'user.edited', { userId: before.id, doerId, ...old })
}
