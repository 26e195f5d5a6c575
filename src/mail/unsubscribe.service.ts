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
import { textsFor, type MailTexts } from './texts/texts.ts'

const purpose = 'mail-unsubscribe'

/** How long the addresses in mails are good: people look at old mails. */
const lifetimeSeconds = 2 * 365 * 86_400

/** What a mail is about that somebody may want no more of: a conversation, what happens in a repository, or everything. */
interface About {
  readonly issue: Pick<IssueRow, 'id'> | undefined
  readonly watched?: Pick<RepoRow, 'id'>
}

/**
 * An address that ends the mails of somebody about an issue, their watching of a repository, or all of them, without signing
 * in: it is signed, and can do nothing else.
 */
export function unsubscribeUrl(
  { secrets, config, clock }: Pick<Services, 'secrets' | 'config' | 'clock'>,
  user: Pick<UserRow, 'id'>,
  { issue, watched }: About,
): string {
  const what = { user: user.id, ...(issue ? { issue: issue.id } : watched ? { repo: watched.id } : {}) }
  return `${config.server.rootUrl}-/unsubscribe/${secrets.sign(purpose, what, nowUnix(clock) + lifetimeSeconds)}`
}

/** What an address of a mail ends. */
export interface Unsubscription {
  readonly user: UserRow
  /** undefined: it is about no conversation. */
  readonly issueId: IssueId | undefined
  /** Set where it ends the watching of a repository. */
  readonly repoId?: RepoId | undefined
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
  const idOf = (name: string): number | undefined => (typeof what?.[name] === 'number' ? what[name] : undefined)
  return { user, issueId: idOf('issue') as IssueId | undefined, repoId: idOf('repo') as RepoId | undefined, texts }
}

/** Ends the mails about the conversation, or the watching of the repository, or all mails where it is wanted or there is neither. */
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
  // Of an issue that is gone there will be no mail anyway.
  if (await findIssueById(services.db, issueId)) {
    await transaction(services.db, (tx) => upsertIssueWatch(tx, issueId, user.id, false, nowUnix(services.clock)))
  }
  return 'conversation'
}
