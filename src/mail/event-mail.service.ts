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
import type { ToldEvent } from '../notifications/audience.service.ts'
import { mayHear, type Subject } from '../notifications/audience.store.ts'
import { findReview } from '../pulls/reviews/review.store.ts'
import { findRelease } from '../releases/release.store.ts'
import { escapePath } from '../lib/escape-url.ts'
import { repoFullName, repoWebUrl } from '../repos/repo-url.ts'
import { renderText } from '../site/render.service.ts'
import { findUserById } from '../users/user.store.ts'
import { messageId } from './compose.tsx'
import { isAdmin } from './mail-queue.store.ts'
import type { MailTexts } from './texts/texts.ts'

/** The events that are mailed. */
export type MailedEvent = ToldEvent | Event<'user.created' | 'release.published'>

/** What a mail of an event says, to whomever it goes. */
export interface EventMail {
  /** That a row of `user` may be told of it, now. */
  readonly mayHear: RawBuilder<SqlBool>
  /** Whose act it tells of. */
  readonly doer: UserRow | undefined
  /** Set where there is a conversation that one can leave. */
  readonly issue: IssueRow | undefined
  /** Set where it comes of watching a repository, which one can end. */
  readonly watched?: RepoRow
  /** Before the `@` of its Message-ID. */
  readonly id: string
  readonly subject: (texts: MailTexts) => string
  readonly sentence: (texts: MailTexts) => string
  /** Why it comes to those whom it is for by name, and to the others. */
  readonly reason: (texts: MailTexts, isNamed: boolean) => string
  /** What somebody wrote, as Markdown and as HTML. */
  readonly said?: { readonly text: string; readonly html: string } | undefined
  /** The page to look at. */
  readonly url: string
  /** Those headers that are the same for all recipients. */
  readonly headers: Readonly<Record<string, string>>
}

/** The name of somebody as mails show it. */
export const shownName = (user: UserRow | undefined): string => user?.full_name || user?.name || 'Ghost'

/** What is mailed of an event; undefined when there is nothing to tell any more. */
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
  const place = repos.get(data.repoId)
  // It was taken back since.
  if (!place || !release || release.is_draft) return undefined
  const name = repoFullName(place)
  const { tag_name: tag, content } = release
  return {
    mayHear: mayHear({ ...place, unit: 'releases' }, data.doerId),
    ...{ doer, issue: undefined, watched: place.repo },
    id: `repositories/${place.repo.id}/releases/${release.id}`,
    subject: () => `[${name}] ${release.title || tag}`,
    sentence: (texts) => texts.released(shownName(doer), tag, name),
    reason: (texts) => texts.why.watches,
    said: content.trim() === '' ? undefined : await render(services, place, content),
    url: `${repoWebUrl({ config, ...place })}/releases/tag/${escapePath(tag)}`,
    headers: listHeaders(services, place),
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
  const place = repos.get(data.repoId)
  if (!recipient || !place?.repo.has_transfer) return undefined
  const name = repoFullName(place)
  return {
    mayHear: mayHear(place, data.doerId),
    ...{ doer, issue: undefined },
    id: `repositories/${place.repo.id}/transfer/${atMs}`,
    subject: (texts) => texts.offerSubject(name),
    sentence: (texts) => texts.offered(shownName(doer), name, shownName(recipient)),
    reason: (texts) => texts.why.offered,
    url: repoWebUrl({ config, ...place }),
    headers: listHeaders(services, place),
  }
}

type IssueEvent = Exclude<ToldEvent, { readonly name: 'repo.transferOffered' }>

/** What of the database an event about an issue is told with. */
interface Around {
  readonly subject: RepoWithOwner & { readonly issue: IssueRow }
  readonly doer: UserRow | undefined
  readonly comment: CommentRow | undefined
  readonly review: ReviewRow | undefined
}

async function loadAround({ db }: Services, { name, data }: IssueEvent): Promise<Around | undefined> {
  const [issue, repos, doer, comment, review] = await Promise.all([
    findIssueById(db, data.issueId),
    loadReposWithOwners(db, [data.repoId]),
    findUserById(db, data.doerId),
    name === 'issue.commented' ? findComment(db, data.commentId) : undefined,
    name === 'review.submitted' ? findReview(db, data.issueId, data.reviewId) : undefined,
  ])
  const place = repos.get(data.repoId)
  if (!issue || !place) return undefined
  // What was said is gone, and there is nothing else to tell.
  if ((name === 'issue.commented' && !comment) || (name === 'review.submitted' && !review)) return undefined
  return { subject: { ...place, issue }, doer, comment, review }
}

async function issueMail(services: Services, event: IssueEvent): Promise<EventMail | undefined> {
  const around = await loadAround(services, event)
  if (!around) return undefined
  const { subject, doer, comment, review } = around
  const { issue } = subject
  const { config } = services
  const page = issueWebUrl({ config, ...subject }, issue)
  // By the repository's id: its name may change, and replies are to be found with what they answer then, too.
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
    said: text.trim() === '' ? undefined : await render(services, subject, text),
    url: comment ? `${page}#issuecomment-${comment.id}` : page,
    headers: {
      ...(isOpening ? {} : { 'In-Reply-To': opener, References: opener }),
      ...listHeaders(services, subject),
      ...familyHeaders({
        Reason: issue.is_pull ? 'pull' : 'issue',
        'Issue-ID': String(issue.index),
        'Issue-Link': page,
      }),
    },
  }
}

/** Names one mail of a conversation. Source: contract (notifications, mail: headers). */
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
  return name === 'review.requested' ? why.asked : why.mentioned
}

/** Families of header names that clients of the family filter by. Source: contract (names in headers). */
const families = ['X-SERVICE', 'X-Forgejo', 'X-Gitea'] as const
/** The few that GitHub's mails have as well. */
const sharedWithGitHub = new Set(['Reason', 'Sender', 'Recipient', 'Recipient-Address'])

/** Headers under the names of all families. */
export const familyHeaders = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      [...families, ...(sharedWithGitHub.has(name) ? ['X-GitHub'] : [])].map((family) => [`${family}-${name}`, value]),
    ),
  )

/** The headers by which mails of one repository are told (RFC 2919). */
function listHeaders({ config }: Services, place: Subject): Record<string, string> {
  const { repo, owner } = place
  const url = repoWebUrl({ config, ...place })
  const host = new URL(config.server.rootUrl).hostname
  return {
    'List-ID': `${repoFullName(place)} <${repo.name}.${owner.name}.${host}>`,
    'List-Archive': `<${url}>`,
    ...familyHeaders({ Repository: repo.name, 'Repository-Path': repoFullName(place), 'Repository-Link': url }),
  }
}

/** Longest text of somebody that goes into a mail, in characters. */
const maxSaid = 100_000

/** Pictures of a text would tell its author who reads the mail, and when. */
const pictures = /<img\b(?:"[^"]*"|[^">])*>/g

async function render(
  services: Services,
  place: RepoWithOwner,
  whole: string,
): Promise<{ readonly text: string; readonly html: string }> {
  const text = whole.length > maxSaid ? `${whole.slice(0, maxSaid)}…` : whole
  const html = await renderText(services, text, 'comment', { context: repoFullName(place) })
  return { text, html: html.replaceAll(pictures, (picture) => /\balt="([^"]*)"/.exec(picture)?.[1] ?? '') }
}
