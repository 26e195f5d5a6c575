import type { Services } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { IssueRow } from '../db/tables/issues.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { findIssueById } from '../issues/issue.store.ts'
import { upsertIssueWatch } from '../issues/social/subscription.store.ts'
import { NotFound } from '../lib/errors.ts'
import type { IssueId, RepoId, UserId } from '../lib/ids.ts'
import { nowUnix } from '../lib/time.ts'
import { endWatching } from '../repos/social/watch.service.ts'
import { editSettings } from '../users/settings/settings.service.ts'
import { findUserById } from '../users/user.store.ts'
import type { MailTexts } from './texts/mail-texts.ts'
import { textsFor } from './texts/texts.ts'

const purpose = 'mail-unsubscribe'

/** Validity of the links in mails: people read old mails. */
const lifetimeSeconds = 2 * 365 * 86_400

/** What the mail is about: an issue, a watched repository, or neither. */
interface MailSubject {
  readonly issue: Pick<IssueRow, 'id'> | undefined
  readonly watched?: Pick<RepoRow, 'id'>
}

/**
 * Returns a signed link that ends a user's mails about an issue, the watching of a repository, or all mails, without signing
 * in. It permits nothing else.
 */
export function unsubscribeUrl(
  { secrets, config, clock }: Pick<Services, 'secrets' | 'config' | 'clock'>,
  user: Pick<UserRow, 'id'>,
  { issue, watched }: MailSubject,
): string {
  const what = { user: user.id, ...(issue ? { issue: issue.id } : watched ? { repo: watched.id } : {}) }
  return `${config.server.rootUrl}-/unsubscribe/${secrets.sign(purpose, what, nowUnix(clock) + lifetimeSeconds)}`
}

/** The content of an unsubscription link. */
export interface Unsubscription {
  readonly user: UserRow
  /** The issue to unsubscribe from. */
  readonly issueId: IssueId | undefined
  /** The repository to unwatch. */
  readonly repoId?: RepoId | undefined
  /** Texts in the language of the user. */
  readonly texts: MailTexts
}

/** Reads a link. Throws `NotFound` when it is forged, damaged or expired, or when the account is deleted. */
export async function readUnsubscription(services: Services, token: string): Promise<Unsubscription> {
  const { db, secrets, clock, config } = services
  const what = secrets.verify(purpose, token, nowUnix(clock))
  const user = typeof what?.['user'] === 'number' ? await findUserById(db, what['user'] as UserId) : undefined
  if (!user) throw new NotFound('the address is damaged, or too old', 'unsubscribe_invalid')
  const texts = textsFor(config, user.language)
  const idOf = (name: string): number | undefined => (typeof what?.[name] === 'number' ? what[name] : undefined)
  return { user, issueId: idOf('issue') as IssueId | undefined, repoId: idOf('repo') as RepoId | undefined, texts }
}

/** Ends the mails of a link, or all mails when `wantsAll` is true or the link names neither issue nor repository. */
export async function unsubscribe(
  services: Services,
  { user, issueId, repoId }: Unsubscription,
  wantsAll: boolean,
): Promise<'conversation' | 'repository' | 'all'> {
  if (!wantsAll && repoId !== undefined) {
    await endWatching(services, repoId, user.id)
    return 'repository'
  }
  if (wantsAll || issueId === undefined) {
    await editSettings(services, user, { email_notifications: 'disabled' })
    return 'all'
  }
  // A deleted issue sends no mails.
  if (await findIssueById(services.db, issueId)) {
    await transaction(services.db, (tx) => upsertIssueWatch(tx, issueId, user.id, false, nowUnix(services.clock)))
  }
  return 'conversation'
}
