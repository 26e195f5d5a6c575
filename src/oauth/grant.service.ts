import type { Services } from '../access/context.ts'
import { recordAct } from '../audit/audit.ts'
import { transaction } from '../db/database.ts'
import { publish } from '../events/hub.ts'
import { NotFound } from '../lib/errors.ts'
import type { OAuthGrantId, UserId } from '../lib/ids.ts'
import { nowUnix } from '../lib/time.ts'
import { deleteDevicesBefore } from './devices/device.store.ts'
import { deleteExpired, deleteGrant, listGrantsOf, type GrantedApplication } from './grant.store.ts'

/** Most grants that are shown to a person. */
const maxShown = 200

/** The applications that a person let in, newest first. */
export const grantsOf = ({ db }: Services, userId: UserId): Promise<GrantedApplication[]> =>
  listGrantsOf(db, userId, maxShown)

/** Takes back what a person granted: the tokens of the application end at once. */
export async function revokeGrant({ db }: Services, userId: UserId, id: number): Promise<void> {
  await transaction(db, async (tx) => {
    if (!(await deleteGrant(tx, userId, id as OAuthGrantId))) {
      throw new NotFound('there is no such grant', 'oauth_grant_not_found')
    }
    await recordAct(tx, { action: 'grant.revoked', doerId: userId, about: { kind: 'application', id: null } })
    await publish(tx, 'credential.ended', { userId, what: 'application' })
  })
}

/** How long a device that nobody let in is told so, in seconds. */
const deviceToldSeconds = 3600

/** Forgets codes, devices and tokens whose time is over. */
export const forgetExpired = ({ db, clock }: Services): Promise<void> =>
  transaction(db, async (tx) => {
    const now = nowUnix(clock)
    await deleteExpired(tx, now)
    await deleteDevicesBefore(tx, now - deviceToldSeconds)
  })
