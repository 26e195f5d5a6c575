import type { Services } from '../../access/context.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { MailedLinkRow } from '../../db/tables/sign-in.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { publish } from '../../events/hub.ts'
import { NotFound } from '../../lib/errors.ts'
import type { LinkId, UserId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { hashToken } from '../../secrets/tokens.ts'
import { deleteLinksBefore, findLink, insertLink, listMomentsBefore } from './link.store.ts'

const purpose = 'mailed-link'

/** A request to mail a link. */
export interface LinkRequest {
  readonly kind: MailedLinkRow['kind']
  readonly email: string
  readonly userId?: UserId
  readonly name?: string
  readonly passwordHash?: string
  /** Language of the browser. */
  readonly language: string
}

/**
 * Records a request for a mail. The job decides whether and what to send, so the time of the reply does not reveal
 * whether an account has the address.
 */
export async function requestLink(services: Services, tx: Tx, request: LinkRequest): Promise<void> {
  const { service } = services.config
  const now = nowUnix(services.clock)
  const minutes = request.kind === 'reset' ? service.resetPasswdCodeLiveMinutes : service.activeCodeLiveMinutes
  const { id } = await insertLink(tx, {
    kind: request.kind,
    email: request.email,
    lower_email: request.email.toLowerCase(),
    user_id: request.userId ?? null,
    name: request.name ?? '',
    password_hash: request.passwordHash ?? '',
    language: request.language,
    created_unix: now,
    expires_unix: now + minutes * 60,
    used_unix: null,
  })
  await publish(tx, 'link.requested', { linkId: id })
}

const hourSeconds = 3600
const daySeconds = 86_400
/** Mails of this kind per address within an hour and a day, from all requests. */
const maxPerHour = 3
const maxPerDay = 8

/** Returns whether an address has reached its limit of mails. The first mails are always sent. */
export async function isTooMuchMail({ db }: Services, link: MailedLinkRow): Promise<boolean> {
  const before = await listMomentsBefore(db, link, link.created_unix - daySeconds, maxPerDay)
  const withinHour = before.filter((unix) => unix > link.created_unix - hourSeconds)
  return before.length >= maxPerDay || withinHour.length >= maxPerHour
}

/** Returns a fingerprint of the account's password and primary address. Changing them invalidates a link. */
const markOf = (user: UserRow | undefined): string =>
  user ? hashToken(`${user.id} ${user.email} ${user.password_hash ?? ''}`).slice(0, 16) : ''

/**
 * Returns the signed code for the address of a link. It is computed when needed and never stored.
 * @param user the account that the link changes, if any
 */
export const linkCode = ({ secrets }: Services, link: MailedLinkRow, user: UserRow | undefined): string =>
  secrets.sign(purpose, { link: link.id, mark: markOf(user) }, link.expires_unix)

/**
 * Returns the usable link of a code.
 * @param userOf finds the account that the link changes
 * @throws NotFound for a code that is malformed, expired, used, or of another kind
 */
export async function openLink(
  { secrets, clock, db }: Services,
  kind: MailedLinkRow['kind'],
  code: string,
  userOf: (link: MailedLinkRow) => Promise<UserRow | undefined>,
): Promise<{ readonly link: MailedLinkRow; readonly user: UserRow | undefined }> {
  const claims = secrets.verify(purpose, code, nowUnix(clock))
  const id = claims?.['link']
  const link = typeof id === 'number' ? await findLink(db, id as LinkId) : undefined
  const user = link && (await userOf(link))
  if (!claims || link?.kind !== kind || link.used_unix !== null || claims['mark'] !== markOf(user)) throw spentLink()
  return { link, user }
}

/** One answer for used, expired and malformed links. */
export const spentLink = (): NotFound =>
  new NotFound('the link was used or has expired; request another one', 'link_spent')

/** Deletes links that cannot be used and no longer count for limits. */
export async function forgetOldLinks({ db, clock }: Services): Promise<void> {
  const now = nowUnix(clock)
  await transaction(db, (tx) => deleteLinksBefore(tx, now - daySeconds, now))
}
