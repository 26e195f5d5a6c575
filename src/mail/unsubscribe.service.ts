import type { Services } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { IssueRow } from '../db/tables/issues.ts'
import { findIssueById } from '../issues/issue.store.ts'
import { upsertIssueWatch } from '../issues/social/subscription.store.ts'
import { NotFound } from '../lib/errors.ts'
import type { IssueId, UserId } from '../lib/ids.ts'
import { nowUnix } from '../lib/time.ts'
import { editSettings } from '../users/settings.service.ts'
import { findUserById } from '../users/user.store.ts'
import { textsFor, type MailTexts } from './texts/texts.ts'

const purpose = 'mail-unsubscribe'

/** How long the addresses in mails are good: people look at old mails. */
const lifetimeSeconds = 2 * 365 * 86_400

/**
 * An address that ends the mails of somebody about an issue, or all of them, without signing in: it is signed, and can do
 * nothing else.
 */
export function unsubscribeUrl(
  { secrets, config, clock }: Pick<Services, 'secrets' | 'config' | 'clock'>,
  user: Pick<UserRow, 'id'>,
  issue: Pick<IssueRow, 'id'> | undefined,
): string {
  const what = { user: user.id, ...(issue ? { issue: issue.id } : {}) }
  return `${config.server.rootUrl}-/unsubscribe/${secrets.sign(purpose, what, nowUnix(clock) + lifetimeSeconds)}`
}

/** What an address of a mail ends. */
export interface Unsubscription {
  readonly user: UserRow
  /** undefined: it is about no conversation. */
  readonly issueId: IssueId | undefined
  /** In the language of whom the mail went to. */
  readonly texts: MailTexts
}

/** What an address says; one that is forged, damaged or too old, or of an account that is gone, is `NotFound`. */
export async function readUnsubscription(services: Services, token: string): Promise<Unsubscription> {
  const { db, secrets, clock, config } = services
  const what = secrets.verify(purpose, token, nowUnix(clock))
  const user = typeof what?.['user'] === 'number' ? await findUserById(db, what['user'] as UserId) : undefined
  const texts = textsFor(config, user?.language ?? '')
  if (!user) throw new NotFound(texts.unsubscribe.invalid, 'unsubscribe_invalid')
  const issueId = what?.['issue']
  return { user, issueId: typeof issueId === 'number' ? (issueId as IssueId) : undefined, texts }
}

/** Ends the mails about the conversation, or all mails where it is wanted or there is no conversation. */
export async function unsubscribe(
  services: Services,
  { user, issueId }: Unsubscription,
  wantsAll: boolean,
): Promise<'conversation' | 'all'> {
  if (wantsAll || issueId === undefined) {
    await editSettings(services, user, { email_notifications: 'disabled' })
    return 'all'
  }
  // Of an issue that is gone there will be no mail anyway.
  if (await findIssueById(services.db, issueId)) {
    await transaction(services.db, (tx) => upsertIssueWatch(tx, issueId, user.id, false, nowUnix(services.clock)))
  }
  return 'conversation'
}
