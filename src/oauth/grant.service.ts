import type { Services } from '../access/context.ts'
import { recordAct } from '../audit/audit.ts'
import { transaction } from '../db/database.ts'
import { publish } from '../events/hub.ts'
import { NotFound } from '../lib/errors.ts'
import type { OAuthGrantId, UserId } from '../lib/ids.ts'
import { nowUnix } from '../lib/time.ts'
import { deleteDevicesBefore } from './devices/device.store.ts'
import { deleteExpired, deleteGrant, listGrantsOf, type GrantedApplication } from './grant.store.ts'

/** Most grants in a list. */
const maxListed = 200

/** Returns the applications that a person granted access, the newest first. */
export const listGrants = ({ db }: Services, userId: UserId): Promise<GrantedApplication[]> =>
  listGrantsOf(db, userId, maxListed)

/** Revokes a grant. The tokens of the application end at once. Throws `NotFound`. */
export async function revokeGrant({ db }: Services, userId: UserId, id: number): Promise<void> {
  await transaction(db, async (tx) => {
    if (!(await deleteGrant(tx, userId, id as OAuthGrantId))) {
      throw new NotFound('the grant does not exist', 'oauth_grant_not_found')
    }
    await recordAct(tx, { action: 'grant.revoked', doerId: userId, about: { kind: 'application', id: null } })
    await publish(tx, 'credential.ended', { userId, what: 'application' })
  })
}

/** The time for which an expired device gets the error `expired_token`, in seconds. */
const expiredDeviceSeconds = 3600

/** Deletes expired codes, devices and tokens. */
export const deleteAllExpired = ({ db, clock }: Services): Promise<void> =>
  transaction(db, async (tx) => {
    const now = nowUnix(clock)
    await deleteExpired(tx, now)
    await deleteDevicesBefore(tx, now - expiredDeviceSeconds)
  })
