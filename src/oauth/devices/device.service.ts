import type { Services } from '../../access/context.ts'
import { ownService } from '../../access/own-service.ts'
import { recordAct } from '../../audit/audit.ts'
import { checkAccountState } from '../../auth/identify.ts'
import { SharedAttempts } from '../../auth/shared-attempts.ts'
import type { Viewer } from '../../auth/viewer.ts'
import { transaction } from '../../db/database.ts'
import type { OAuthApplicationRow, OAuthDeviceRow } from '../../db/tables/oauth.ts'
import { shareOfAddress } from '../../http/client-address.ts'
import { BadRequest, Conflict, NotFound } from '../../lib/errors.ts'
import { nowUnix, type Unix } from '../../lib/time.ts'
import { hashToken, newPrefixedToken } from '../../secrets/tokens.ts'
import { HourlyLimit, hourMs } from '../../users/entry/hourly-limit.ts'
import { findUserById } from '../../users/user.store.ts'
import { answerDevice, findDevice, findWaitingDevice, insertDevice, updatePoll, deleteDevice } from './device.store.ts'
import { findGrant, loadGranted, findOrInsertGrant } from '../grant.store.ts'
import { scopeWords } from '../scope.rules.ts'
import { issueTokens, knownClient, type ClientLogin, type IssuedTokens } from '../token.service.ts'
import { newUserCode, parseUserCode, formatUserCode } from './user-code.ts'

/** The lifetime of a device code, in seconds. */
const lifetimeSeconds = 900
/** The polling interval at first, its increment for a device that polls too often, and its maximum. */
const intervalSeconds = 5
const slowerBySeconds = 5
const slowestSeconds = 60
/** A poll may be this early, because network delays vary. */
const toleranceMs = 1000

/** Rate limits of device authorizations and of entered codes, against guessing. */
export const deviceLimits = ownService('the rate limits of the device flow', {
  open: (services) => ({
    requested: new HourlyLimit(services.clock, { perAddress: 120, inAll: 10_000 }),
    /** Refused codes, which the processes of the database share. */
    refused: new SharedAttempts(services, 'device code', hourMs),
    typedAt: new HourlyLimit(services.clock, { perAddress: 120, inAll: 10_000 }),
    typedBy: new HourlyLimit(services.clock, { perAddress: 60, inAll: Number.POSITIVE_INFINITY }),
  }),
})

/** The reply to a device that requests authorization. */
export interface DeviceAuthorization {
  /** The code that the device polls with. */
  readonly deviceCode: string
  /** The code that the person enters. */
  readonly userCode: string
  readonly lifetimeSeconds: number
  readonly intervalSeconds: number
}

/** Returns a keyed hash: a plain hash of so short a code could be searched by anyone who reads the table. */
const userCodeHash = ({ secrets }: Services, code: string): string =>
  hashToken(`${secrets.deriveKey('device-code', 32).toString('hex')} ${code}`)

/**
 * Starts the authorization of a device without a browser (RFC 8628, 3.1).
 * @throws BadRequest for an unknown client; TooManyRequests
 */
export async function startDeviceAuthorization(
  services: Services,
  login: ClientLogin,
  { scope, ip }: { readonly scope: string; readonly ip: string },
): Promise<DeviceAuthorization> {
  const application = await knownClient(services, login)
  deviceLimits.of(services).requested.take(ip)
  const [deviceCode, userCode] = [newPrefixedToken('iod_'), newUserCode()]
  const now = nowUnix(services.clock)
  await transaction(services.db, (tx) =>
    insertDevice(tx, {
      application_id: application.id,
      device_hash: hashToken(deviceCode),
      user_code_hash: userCodeHash(services, userCode),
      scope: scopeWords(scope).join(' '),
      address: ip,
      grant_id: null,
      is_denied: false,
      auth_unix: null,
      interval_seconds: intervalSeconds,
      polled_ms: 0,
      created_unix: now,
      expires_unix: now + lifetimeSeconds,
    }),
  )
  return { deviceCode, userCode: formatUserCode(userCode), lifetimeSeconds, intervalSeconds }
}

/** A waiting device, for the consent page. */
export interface WaitingDevice {
  readonly application: OAuthApplicationRow
  /** The login of the application's owner; undefined for a built-in application. */
  readonly ownerName: string | undefined
  readonly userCode: string
  /** The address of the device's request. */
  readonly address: string
  readonly requestedUnix: Unix
  /** The scope of the grant, which for an existing grant may differ from the requested one. */
  readonly scope: string
}

/**
 * Finds the waiting device of an entered code; undefined when the code is unknown, answered or expired.
 * @throws TooManyRequests against guessing
 */
export async function findDeviceByCode(
  services: Services,
  viewer: Viewer,
  { typed, ip }: { readonly typed: string; readonly ip: string },
): Promise<WaitingDevice | undefined> {
  const found = await openDevice(services, viewer, typed, ip)
  if (!found) return undefined
  const { device, application, code } = found
  const [grant, owner] = await Promise.all([
    findGrant(services.db, application.id, viewer.id),
    application.user_id === null ? undefined : findUserById(services.db, application.user_id),
  ])
  return {
    application,
    ownerName: owner?.name,
    userCode: formatUserCode(code),
    address: device.address,
    requestedUnix: device.created_unix,
    scope: grant?.scope ?? device.scope,
  }
}

async function openDevice(services: Services, viewer: Viewer, typed: string, ip: string) {
  checkAccountState(viewer.user)
  const { refused, typedAt, typedBy } = deviceLimits.of(services)
  const [account, address] = [refused.subjectOf(`account ${viewer.id}`), refused.subjectOf(shareOfAddress(ip))]
  for (const { subjects, atMs } of await refused.news()) {
    typedBy.count(subjects[0] ?? '', atMs)
    typedAt.count(subjects[1] ?? '', atMs)
  }
  typedBy.take(account)
  typedAt.take(address)
  const code = parseUserCode(typed)
  const found =
    code === undefined
      ? undefined
      : await findWaitingDevice(services.db, userCodeHash(services, code), nowUnix(services.clock))
  if (code !== undefined && found) return { ...found, code }
  await transaction(services.db, async (tx) => {
    await refused.record(tx, [account, address])
    await recordAct(tx, {
      action: 'device.codeTyped',
      outcome: 'refused',
      doerId: viewer.id,
      about: { kind: 'account', id: viewer.id },
    })
  })
  return undefined
}

const noDevice = () => new NotFound('no device waits with this code any more', 'device_unknown')

/**
 * Grants or denies access to a device. Only the first answer counts.
 * @param answer.agreedScope the scope that the page showed
 * @throws NotFound; Conflict when the grant has another scope
 */
export async function answerWaitingDevice(
  services: Services,
  viewer: Viewer,
  { typed, ip }: { readonly typed: string; readonly ip: string },
  answer: { readonly isGranted: boolean; readonly agreedScope: string; readonly signedInUnix: Unix | undefined },
): Promise<OAuthApplicationRow> {
  const found = await openDevice(services, viewer, typed, ip)
  if (!found) throw noDevice()
  const { device, application } = found
  const now = nowUnix(services.clock)
  const about = { kind: 'application', id: application.id, name: application.name } as const
  await transaction(services.db, async (tx) => {
    if (!answer.isGranted) {
      if (!(await answerDevice(tx, device.id, { is_denied: true }, now))) throw noDevice()
      await recordAct(tx, { action: 'device.denied', outcome: 'refused', doerId: viewer.id, about })
      return
    }
    const grant = await findOrInsertGrant(tx, {
      application_id: application.id,
      user_id: viewer.id,
      scope: device.scope,
      created_unix: now,
    })
    if (grant.scope !== answer.agreedScope) {
      throw new Conflict('the access of the application has changed meanwhile; check it again', 'grant_changed')
    }
    const granted = { grant_id: grant.id, auth_unix: answer.signedInUnix ?? null }
    if (!(await answerDevice(tx, device.id, granted, now))) throw noDevice()
    const details = { scope: scopeWords(grant.scope), address: device.address }
    await recordAct(tx, { action: 'device.granted', doerId: viewer.id, about, details })
  })
  return application
}

const invalidGrant = (why: string) => new BadRequest(why, 'invalid_grant')

/**
 * Exchanges the code of a granted device for tokens, once. A device that polls too often has to wait longer (RFC 8628, 3.5).
 * @throws BadRequest `authorization_pending`, `slow_down`, `access_denied`, `expired_token`, `invalid_grant`
 */
export async function exchangeDeviceCode(
  services: Services,
  login: ClientLogin,
  deviceCode: string,
): Promise<IssuedTokens> {
  const application = await knownClient(services, login)
  const now = nowUnix(services.clock)
  const device = await findDevice(services.db, hashToken(deviceCode))
  if (!device || device.application_id !== application.id) {
    throw invalidGrant('the device code is unknown, was used, or belongs to another client')
  }
  if (device.is_denied) throw new BadRequest('the person denied access', 'access_denied')
  if (device.expires_unix <= now) throw new BadRequest('the device code has expired', 'expired_token')
  const { grant_id: grantId } = device
  if (grantId === null) return refusePoll(services, device)
  const outcome = await transaction(services.db, async (tx) => {
    const granted = await loadGranted(tx, grantId)
    if (!granted || !(await deleteDevice(tx, device.id))) return invalidGrant('the device code was used')
    return issueTokens(services, tx, granted, {
      family: `device ${device.id}`,
      nonce: '',
      authUnix: device.auth_unix,
      now,
    })
  })
  if (outcome instanceof BadRequest) throw outcome
  return outcome
}

/** Records a poll of a device that has no answer, and throws the refusal. */
async function refusePoll({ db, clock }: Services, device: OAuthDeviceRow): Promise<never> {
  const nowMs = clock.nowMs()
  const interval = device.interval_seconds
  const isEarly = device.polled_ms + interval * 1000 - toleranceMs > nowMs
  const change = isEarly
    ? { interval_seconds: Math.min(interval + slowerBySeconds, slowestSeconds) }
    : { polled_ms: nowMs }
  // At the maximal interval an early poll writes nothing.
  const isRecorded =
    isEarly && interval === slowestSeconds ? false : await transaction(db, (tx) => updatePoll(tx, device, change))
  if (isEarly || !isRecorded) throw new BadRequest('the device polls too often', 'slow_down')
  throw new BadRequest('the person has not answered yet', 'authorization_pending')
}
