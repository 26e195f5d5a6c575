import { accessTo } from '../access/repo-access.ts'
import { fullRights, type Rights } from '../access/rights.ts'
import { serverWork } from '../access/server-work.ts'
import type { RawBuilder, SqlBool } from 'kysely'
import type { Services } from '../access/context.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { CommentRow, IssueRow } from '../db/tables/issues.ts'
import type { ReviewRow } from '../db/tables/pulls.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { Event } from '../events/catalogue.ts'
import { issueWebUrl, type RepoWithOwner } from '../issues/repo-with-owner.ts'
import { findIssueById } from '../issues/issue.store.ts'
import { loadReposWithOwners } from '../issues/repo-with-owner.store.ts'
import { findComment } from '../issues/timeline-entry.store.ts'
import type { NotifiedEvent } from '../notifications/audience.service.ts'
import { mayHear, type Subject } from '../notifications/audience.store.ts'
import { findReview } from '../pulls/reviews/review.store.ts'
import { findRelease } from '../releases/release.store.ts'
import { escapePath } from '../lib/escape-url.ts'
import type { UserId } from '../lib/ids.ts'
import { repoFullName, repoWebUrl } from '../repos/repo-url.ts'
import { renderText } from '../site/render.service.ts'
import { findUserById } from '../users/user.store.ts'
import { messageId } from './compose.tsx'
import { addressLines, withoutMedia } from './quoted-text.rules.ts'
import { isAdmin } from './mail-queue.store.ts'
import type { MailTexts } from './texts/mail-texts.ts'

/** The events that send mails. */
export type MailedEvent = NotifiedEvent | Event<'user.created' | 'release.published'>

/** The text of a user, as text and as HTML, for recipients who may read the code of the repository and for all others. */
export interface Quote {
  /** SQL condition: a row of `user` may read the code. */
  readonly mayReadCode: RawBuilder<SqlBool>
  readonly forReaders: QuotedText
  readonly forOthers: QuotedText
}

export interface QuotedText {
  readonly text: string
  readonly html: string
}

/** The content of a mail about an event, for all recipients. */
export interface EventMail {
  /** SQL condition: a row of `user` may read the subject now. */
  readonly mayHear: RawBuilder<SqlBool>
  /** The acting user. */
  readonly doer: UserRow | undefined
  /** The issue whose conversation the recipient can leave. */
  readonly issue: IssueRow | undefined
  /** The watched repository that the recipient can unwatch. */
  readonly watched?: RepoRow
  /** The part before the `@` of the Message-ID. */
  readonly id: string
  readonly subject: (texts: MailTexts) => string
  readonly sentence: (texts: MailTexts) => string
  /** Returns why a recipient gets it; `isNamed`: the event names the recipient. */
  readonly reason: (texts: MailTexts, isNamed: boolean) => string
  readonly quote?: Quote | undefined
  /** Page of the subject. */
  readonly url: string
  /** Headers that are the same for all recipients. */
  readonly headers: Readonly<Record<string, string>>
}

/** Returns the name of a user as mails show it. */
export const shownName = (user: UserRow | undefined): string => user?.full_name || user?.name || 'Ghost'

/** Returns the mail of an event; undefined when its subject is deleted. */
export async function eventMailOf(services: Services, event: MailedEvent): Promise<EventMail | undefined> {
  if (event.name === 'user.created') return newAccountMail(services, event)
  if (event.name === 'release.published') return releaseMail(services, event)
  return event.name === 'repo.transferOffered' ? offerMail(services, event) : issueMail(services, event)
}

async function newAccountMail(
  { db, config }: Services,
  { data }: Event<'user.created'>,
): Promise<EventMail | undefined> {
  const user = await findUserById(db, data.userId)
  if (!user) return undefined
  return {
    mayHear: isAdmin,
    ...{ doer: undefined, issue: undefined, headers: {} },
    id: `account-${user.id}-${user.created_unix}`,
    subject: (texts) => texts.newAccount.subject(user.name),
    sentence: (texts) => texts.newAccount.text(user.name),
    reason: () => '',
    url: `${config.server.rootUrl}${encodeURIComponent(user.name)}`,
  }
}

async function releaseMail(services: Services, { data }: Event<'release.published'>): Promise<EventMail | undefined> {
  const { db, config } = services
  const [release, repos, doer] = await Promise.all([
    findRelease(db, data.repoId, data.releaseId),
    loadReposWithOwners(db, [data.repoId]),
    findUserById(db, data.doerId),
  ])
  const repository = repos.get(data.repoId)
  // The release was withdrawn.
  if (!repository || !release || release.is_draft) return undefined
  const name = repoFullName(repository)
  const { tag_name: tag, content } = release
  return {
    mayHear: mayHear({ ...repository, unit: 'releases' }, data.doerId),
    ...{ doer, issue: undefined, watched: repository.repo },
    id: `repositories/${repository.repo.id}/releases/${release.id}`,
    subject: () => `[${name}] ${release.title || tag}`,
    sentence: (texts) => texts.released(shownName(doer), tag, name),
    reason: (texts) => texts.why.watches,
    quote: await quoteOf(services, repository, content, data.doerId),
    url: `${repoWebUrl({ config, ...repository })}/releases/tag/${escapePath(tag)}`,
    headers: listHeaders(services, repository),
  }
}

async function offerMail(
  services: Services,
  { data, atMs }: Event<'repo.transferOffered'>,
): Promise<EventMail | undefined> {
  const { db, config } = services
  const [doer, recipient, repos] = await Promise.all([
    findUserById(db, data.doerId),
    findUserById(db, data.recipientId),
    loadReposWithOwners(db, [data.repoId]),
  ])
  const repository = repos.get(data.repoId)
  if (!recipient || !repository?.repo.has_transfer) return undefined
  const name = repoFullName(repository)
  return {
    mayHear: mayHear(repository, data.doerId),
    ...{ doer, issue: undefined },
    id: `repositories/${repository.repo.id}/transfer/${atMs}`,
    subject: (texts) => texts.offerSubject(name),
    sentence: (texts) => texts.offered(shownName(doer), name, shownName(recipient)),
    reason: (texts) => texts.why.offered,
    url: repoWebUrl({ config, ...repository }),
    headers: listHeaders(services, repository),
  }
}

type IssueEvent = Exclude<NotifiedEvent, { readonly name: 'repo.transferOffered' }>

/** The rows of an event about an issue. */
interface IssueEventRows {
  readonly subject: RepoWithOwner & { readonly issue: IssueRow }
  readonly doer: UserRow | undefined
  readonly comment: CommentRow | undefined
  readonly review: ReviewRow | undefined
}

async function loadRows({ db }: Services, { name, data }: IssueEvent): Promise<IssueEventRows | undefined> {
  const [issue, repos, doer, comment, review] = await Promise.all([
    findIssueById(db, data.issueId),
    loadReposWithOwners(db, [data.repoId]),
    findUserById(db, data.doerId),
    name === 'issue.commented' ? findComment(db, data.commentId) : undefined,
    name === 'review.submitted' ? findReview(db, data.issueId, data.reviewId) : undefined,
  ])
  const repository = repos.get(data.repoId)
  if (!issue || !repository) return undefined
  // The comment or review was deleted.
  if ((name === 'issue.commented' && !comment) || (name === 'review.submitted' && !review)) return undefined
  return { subject: { ...repository, issue }, doer, comment, review }
}

async function issueMail(services: Services, event: IssueEvent): Promise<EventMail | undefined> {
  const rows = await loadRows(services, event)
  if (!rows) return undefined
  const { subject, doer, comment, review } = rows
  const { issue } = subject
  const { config } = services
  const page = issueWebUrl({ config, ...subject }, issue)
  // The repository's id keeps a conversation together after a rename.
  const opening = `repositories/${subject.repo.id}/${issue.is_pull ? 'pulls' : 'issues'}/${issue.index}`
  const title = `[${repoFullName(subject)}] ${issue.title} (${issue.is_pull ? 'PR' : 'Issue'} #${issue.index})`
  const isOpening = event.name === 'issue.opened'
  const text = isOpening ? issue.content : (comment?.content ?? review?.content ?? '')
  const opener = messageId(config, opening)
  return {
    mayHear: mayHear(subject, event.data.doerId),
    ...{ doer, issue },
    id: isOpening ? opening : `${opening}/${idWithin(event, issue)}`,
    subject: () => (isOpening ? title : `Re: ${title}`),
    sentence: (texts) => sentenceOf(event, issue, shownName(doer), texts),
    reason: (texts, isNamed) => reasonOf(event, texts, isNamed),
    quote: await quoteOf(services, subject, text, event.data.doerId),
    url: comment ? `${page}#issuecomment-${comment.id}` : page,
    headers: {
      ...(isOpening ? {} : { 'In-Reply-To': opener, References: opener }),
      ...listHeaders(services, subject),
      ...prefixedHeaders({
        Reason: issue.is_pull ? 'pull' : 'issue',
        'Issue-ID': String(issue.index),
        'Issue-Link': page,
      }),
    },
  }
}

/** Returns the id of a mail within its conversation. Source: contract (notifications, mail: headers). */
function idWithin(event: IssueEvent, issue: IssueRow): string {
  switch (event.name) {
    case 'issue.opened':
      return ''
    case 'issue.commented':
      return `comment/${event.data.commentId}`
    case 'review.submitted':
      return `review/${event.data.reviewId}`
    case 'review.dismissed':
      return `dismissal/${event.data.commentId}`
    case 'review.requested':
      return `review-request/${event.data.commentId}`
    case 'issue.assigned':
      return `assign/${event.data.assigneeId}/${event.atMs}`
    case 'issue.closed':
      return `${issue.merged_unix > 0 ? 'merge' : 'close'}/${event.atMs}`
    case 'issue.reopened':
      return `reopen/${event.atMs}`
    case 'pull.readied':
      return `ready/${event.atMs}`
    case 'pull.synchronized':
      return `push/${event.atMs}`
  }
}

function sentenceOf(event: IssueEvent, issue: IssueRow, who: string, texts: MailTexts): string {
  const kind = issue.is_pull ? 'pull' : 'issue'
  switch (event.name) {
    case 'issue.opened':
      return texts.opened(who, kind)
    case 'issue.commented':
      return texts.commented(who, kind)
    case 'issue.closed':
      return issue.merged_unix > 0 ? texts.merged(who) : texts.closed(who, kind)
    case 'issue.reopened':
      return texts.reopened(who, kind)
    case 'issue.assigned':
      return texts.assigned(who, kind)
    case 'review.submitted':
      return { approve: texts.approved, reject: texts.rejected, comment: texts.reviewed }[event.data.type](who)
    case 'review.dismissed':
      return texts.dismissed(who)
    case 'review.requested':
      return texts.reviewRequested(who)
    case 'pull.readied':
      return texts.readied(who)
    case 'pull.synchronized':
      return texts.pushed(who)
  }
}

function reasonOf({ name }: IssueEvent, { why }: MailTexts, isNamed: boolean): string {
  if (!isNamed) return why.takesPart
  if (name === 'issue.assigned') return why.assigned
  return name === 'review.requested' ? why.reviewRequested : why.mentioned
}

/** Prefixes of header names that mail filters use. Source: contract (names in headers). */
const headerPrefixes = ['X-SERVICE', 'X-Forgejo', 'X-Gitea'] as const
/** Headers that also have GitHub's prefix. */
const sharedWithGitHub = new Set(['Reason', 'Sender', 'Recipient', 'Recipient-Address'])

/** Returns headers with each prefix. */
export const prefixedHeaders = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      [...headerPrefixes, ...(sharedWithGitHub.has(name) ? ['X-GitHub'] : [])].map((prefix) => [
        `${prefix}-${name}`,
        value,
      ]),
    ),
  )

/** Returns the list headers of a repository (RFC 2919). */
function listHeaders({ config }: Services, repository: Subject): Record<string, string> {
  const { repo, owner } = repository
  const url = repoWebUrl({ config, ...repository })
  const host = new URL(config.server.rootUrl).hostname
  return {
    'List-ID': `${repoFullName(repository)} <${repo.name}.${owner.name}.${host}>`,
    'List-Archive': `<${url}>`,
    ...prefixedHeaders({ Repository: repo.name, 'Repository-Path': repoFullName(repository), 'Repository-Link': url }),
  }
}

/** Longest quoted text of a user, in characters. */
const maxQuote = 100_000

async function quoteOf(
  services: Services,
  repository: RepoWithOwner,
  whole: string,
  doerId: UserId,
): Promise<Quote | undefined> {
  if (whole.trim() === '') return undefined
  const { repo, owner } = repository
  const source = whole.length > maxQuote ? `${whole.slice(0, maxQuote)}…` : whole
  const { units, rights } = await accessTo(services.db, undefined, owner, repo)
  const render = async (rights: Rights): Promise<QuotedText> => {
    const ctx = { ...serverWork(services), repo, owner, units, rights }
    const html = withoutMedia(await renderText(ctx, source, 'comment', { context: repoFullName(repository) }, ctx))
    const addresses = addressLines(source, html)
    return { text: addresses.length === 0 ? source : `${source}\n\n${addresses.join('\n')}`, html }
  }
  const forReaders = await render(fullRights(units))
  return {
    mayReadCode: mayHear({ repo, owner, unit: 'code' }, doerId),
    forReaders,
    // Ids of commits are links for those who may read the code.
    forOthers: rights.canRead('code') ? forReaders : await render(rights),
  }
}
