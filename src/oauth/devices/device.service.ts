import type { Services } from '../../access/context.ts'
import { ownService } from '../../access/own-service.ts'
import { recordAct } from '../../audit/audit.ts'
import { checkAccountState } from '../../auth/identify.ts'
import type { Viewer } from '../../auth/viewer.ts'
import { transaction } from '../../db/database.ts'
import type { OAuthApplicationRow, OAuthDeviceRow } from '../../db/tables/oauth.ts'
import { BadRequest, Conflict, NotFound } from '../../lib/errors.ts'
import { nowUnix, type Unix } from '../../lib/time.ts'
import { hashToken, newPrefixedToken } from '../../secrets/tokens.ts'
import { HourlyLimit } from '../../users/entry/hourly-limit.ts'
import { findUserById } from '../../users/user.store.ts'
import { answerDevice, findDevice, findWaitingDevice, insertDevice, notePoll, takeDevice } from './device.store.ts'
import { findGrant, loadGranted, takeGrant } from '../grant.store.ts'
import { scopeWords } from '../scope.rules.ts'
import { issueTokens, knownClient, type ClientLogin, type IssuedTokens } from '../token.service.ts'
import { newUserCode, readUserCode, shownUserCode } from './user-code.ts'

/** How long a device waits for its person, in seconds. */
const lifetimeSeconds = 900
/** How long it waits between two questions at first, by how much this grows when it does not, and to how much. */
const intervalSeconds = 5
const slowerBySeconds = 5
const slowestSeconds = 60
/** Questions are on their way for different times: one that comes so much too early is in time. */
const toleranceMs = 1000

/** How often codes are asked for, and typed: a code that is guessed is found among the few that wait. */
export const deviceLimits = ownService('the limits of devices that are let in', {
  open: ({ clock }) => ({
    asked: new HourlyLimit(clock, { perAddress: 120, inAll: 10_000 }),
    typedAt: new HourlyLimit(clock, { perAddress: 120, inAll: 10_000 }),
    typedBy: new HourlyLimit(clock, { perAddress: 60, inAll: Number.POSITIVE_INFINITY }),
  }),
})

/** What a device gets that asks to be let in. */
export interface AskedDevice {
  /** What it asks with from now on. */
  readonly deviceCode: string
  /** What it shows to its person. */
  readonly userCode: string
  readonly lifetimeSeconds: number
  readonly intervalSeconds: number
}

/** Few letters are kept under a key: who sees the table cannot try which code it was. */
const userCodeHash = ({ secrets }: Services, code: string): string =>
  hashToken(`${secrets.deriveKey('device-code', 32).toString('hex')} ${code}`)

/**
 * A device without a browser asks to be let in (RFC 8628, 3.1).
 * @throws BadRequest for a client that is not known; TooManyRequests
 */
export async function askForDevice(
  services: Services,
  login: ClientLogin,
  { scope, ip }: { readonly scope: string; readonly ip: string },
): Promise<AskedDevice> {
  const application = await knownClient(services, login)
  deviceLimits.of(services).asked.take(ip)
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
  return { deviceCode, userCode: shownUserCode(userCode), lifetimeSeconds, intervalSeconds }
}

/** A device that waits, as the person is asked about it. */
export interface WaitingDevice {
  readonly application: OAuthApplicationRow
  /** Login of whose application it is; undefined for one of the instance. */
  readonly ownerName: string | undefined
  readonly userCode: string
  /** Where it asked from, and when. */
  readonly address: string
  readonly askedUnix: Unix
  /** What is granted in fact: what was granted first stays. */
  readonly scope: string
}

/**
 * The device that shows what somebody typed; undefined when there is none, it was answered, or it has waited for too long.
 * @throws TooManyRequests, since somebody may be guessing
 */
export async function findDeviceOf(
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
    userCode: shownUserCode(code),
    address: device.address,
    askedUnix: device.created_unix,
    scope: grant?.scope ?? device.scope,
  }
}

async function openDevice(services: Services, viewer: Viewer, typed: string, ip: string) {
  checkAccountState(viewer.user)
  const { typedAt, typedBy } = deviceLimits.of(services)
  typedBy.take(`account ${viewer.id}`)
  typedAt.take(ip)
  const code = readUserCode(typed)
  const found =
    code === undefined
      ? undefined
      : await findWaitingDevice(services.db, userCodeHash(services, code), nowUnix(services.clock))
  if (code !== undefined && found) return { ...found, code }
  await transaction(services.db, (tx) =>
    recordAct(tx, {
      action: 'device.codeTyped',
      outcome: 'refused',
      doerId: viewer.id,
      about: { kind: 'account', id: viewer.id },
    }),
  )
  return undefined
}

const noDevice = () => new NotFound('no device waits with this code any more', 'device_unknown')

/**
 * Lets a device in, or not. Only the first answer counts.
 * @param agreedScope what the person was shown that it could do
 * @throws NotFound; Conflict when something else would be granted than what was shown
 */
export async function answerForDevice(
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
    const grant = await takeGrant(tx, {
      application_id: application.id,
      user_id: viewer.id,
      scope: device.scope,
      created_unix: now,
    })
    if (grant.scope !== answer.agreedScope) {
      throw new Conflict('what the application could do has changed meanwhile; look at it again', 'grant_changed')
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
 * Tokens for a device that was let in; once. Whoever asks too often waits longer from then on (RFC 8628, 3.5).
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
    throw invalidGrant('the device code is not known, was used, or is of another client')
  }
  if (device.is_denied) throw new BadRequest('the person said no', 'access_denied')
  if (device.expires_unix <= now) throw new BadRequest('the device code has expired', 'expired_token')
  const { grant_id: grantId } = device
  if (grantId === null) return wait(services, device)
  const outcome = await transaction(services.db, async (tx) => {
    const granted = await loadGranted(tx, grantId)
    if (!granted || !(await takeDevice(tx, device.id))) return invalidGrant('the device code was used')
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

async function wait({ db, clock }: Services, device: OAuthDeviceRow): Promise<never> {
  const nowMs = clock.nowMs()
  const interval = device.interval_seconds
  const isEarly = device.polled_ms + interval * 1000 - toleranceMs > nowMs
  const change = isEarly
    ? { interval_seconds: Math.min(interval + slowerBySeconds, slowestSeconds) }
    : { polled_ms: nowMs }
  // Who asks too often for long changes nothing any more.
  const isNoted =
    isEarly && interval === slowestSeconds ? false : await transaction(db, (tx) => notePoll(tx, device, change))
  if (isEarly || !isNoted) throw new BadRequest('the device asks too often', 'slow_down')
  throw new BadRequest('nobody has answered yet', 'authorization_pending')
}
