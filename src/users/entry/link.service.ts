import type { Services } from '../../access/context.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { MailedLinkRow, UserRow } from '../../db/tables/accounts.ts'
import { publish } from '../../events/hub.ts'
import { NotFound } from '../../lib/errors.ts'
import type { LinkId, UserId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { hashToken } from '../../secrets/tokens.ts'
import { deleteLinksBefore, findLink, insertLink, listMomentsBefore } from './link.store.ts'

const purpose = 'mailed-link'

/** What somebody asks to be mailed. */
export interface LinkRequest {
  readonly kind: MailedLinkRow['kind']
  readonly email: string
  readonly userId?: UserId
  readonly name?: string
  readonly passwordHash?: string
  /** Of the browser that asks. */
  readonly language: string
}

/**
 * Notes that a mail was asked for; whether it goes out, and what it says, is found when it is sent. So this takes the same
 * time whether anybody has the address.
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
/** Mails of this kind that an address gets within an hour and within a day, whoever asks for them. */
const maxPerHour = 3
const maxPerDay = 8

/** Whether an address has had as many such mails of late as anybody can want. The first ones are sent in any case. */
export async function isTooMuchMail({ db }: Services, link: MailedLinkRow): Promise<boolean> {
  const before = await listMomentsBefore(db, link, link.created_unix - daySeconds, maxPerDay)
  const withinHour = before.filter((unix) => unix > link.created_unix - hourSeconds)
  return before.length >= maxPerDay || withinHour.length >= maxPerHour
}

/** What a link says of the account as it was when the mail went out: with another password it is worth nothing. */
const markOf = (user: UserRow | undefined): string =>
  user ? hashToken(`${user.id} ${user.email} ${user.password_hash ?? ''}`).slice(0, 16) : ''

/**
 * What goes into the address of a link. It is made when it is needed, and neither kept nor guessed.
 * @param user whose account it changes, when there is one
 */
export const linkCode = ({ secrets }: Services, link: MailedLinkRow, user: UserRow | undefined): string =>
  secrets.sign(purpose, { link: link.id, mark: markOf(user) }, link.expires_unix)

/**
 * The link that a code stands for, if it can still be used.
 * @param userOf finds whose account it changes now
 * @throws NotFound for one that is damaged, too old, of another kind, or was used
 */
export async function openLink(
  { secrets, clock, db }: Services,
  kind: MailedLinkRow['kind'],
  code: string,
  userOf: (link: MailedLinkRow) => Promise<UserRow | undefined>,
): Promise<{ readonly link: MailedLinkRow; readonly user: UserRow | undefined }> {
  const said = secrets.verify(purpose, code, nowUnix(clock))
  const id = said?.['link']
  const link = typeof id === 'number' ? await findLink(db, id as LinkId) : undefined
  const user = link && (await userOf(link))
  if (!said || link?.kind !== kind || link.used_unix !== null || said['mark'] !== markOf(user)) throw spentLink()
  return { link, user }
}

/** Which of the ways a link came to its end is told to nobody. */
export const spentLink = (): NotFound =>
  new NotFound('the link was used already, or is too old: ask for another one', 'link_spent')

/** Forgets links that do nothing any more and are not counted any more. */
export async function forgetOldLinks({ db, clock }: Services): Promise<void> {
  const now = nowUnix(clock)
  await transaction(db, (tx) => deleteLinksBefore(tx, now - daySeconds, now))
}
