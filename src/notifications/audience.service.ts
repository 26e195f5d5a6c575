import type { Services } from '../access/context.ts'
import type { Tx } from '../db/database.ts'
import type { Event } from '../events/catalogue.ts'
import type { IssueId, RepoId, UserId } from '../lib/ids.ts'
import { findIssueById } from '../issues/issue.store.ts'
import { loadReposWithOwners } from '../issues/repo-with-owner.store.ts'
import { isDraft } from '../pulls/pull.rules.ts'
import { findUserById } from '../users/user.store.ts'
import {
  findCommentType,
  listParticipantIds,
  listRepoMakerIds,
  listTeamMemberIds,
  listWatcherIds,
  mayConcernOthers,
  type Subject,
} from './audience.store.ts'

/** The events that cause notifications and mail. Source: contract (notifications). */
export const notifiedEvents = [
  'issue.opened',
  'issue.commented',
  'issue.closed',
  'issue.reopened',
  'issue.assigned',
  'pull.synchronized',
  'pull.readied',
  'review.submitted',
  'review.dismissed',
  'review.requested',
  'repo.transferOffered',
] as const

export type NotifiedEvent = Event<(typeof notifiedEvents)[number]>

/**
 * Returns whether an event may have recipients, checked in the transaction that publishes it. A false result saves the
 * delivery job; most issues concern only their author.
 */
export async function mayHaveRecipients(tx: Tx, event: NotifiedEvent): Promise<boolean> {
  const { name, data } = event
  if (name === 'issue.opened' || name === 'issue.commented') {
    return (data.mentioned ?? []).length > 0 || mayConcernOthers(tx, data)
  }
  // Self-assignment and the removal of an assignee or a reviewer notify nobody.
  if (name === 'issue.assigned') return !data.removed && data.assigneeId !== data.doerId
  if (name === 'review.requested') return !data.removed
  return name === 'issue.closed' || name === 'issue.reopened' ? mayConcernOthers(tx, data) : true
}

/** The recipients of an event before the check of their read access. */
export interface Audience {
  readonly subject: Subject
  readonly doerId: UserId
  /** Accounts that the event names: mentioned, assigned, asked for a review, offered a repository. */
  readonly named: readonly UserId[]
  /** Participants and watchers; empty for events that only concern the named accounts. */
  readonly concerned: RecipientSet
}

/** RecipientSet: a list of ids, and optionally a source that lists the remaining ones in pages. */
export interface RecipientSet {
  readonly ids: readonly UserId[]
  /** Lists at most `limit` more recipients with ids above `after`, in ascending order. */
  readonly more?: ((after: UserId, limit: number) => Promise<UserId[]>) | undefined
}

/** The channel of delivery. Assignees count as participants for mail only. */
export type Channel = 'thread' | 'mail'

/**
 * Returns the recipients of an event; undefined when its subject does not exist or the event notifies nobody.
 * Source: contract (notifications).
 */
export async function audienceOf(
  services: Services,
  event: NotifiedEvent,
  means: Channel,
): Promise<Audience | undefined> {
  if (event.name === 'repo.transferOffered') return audienceOfTransfer(services, event.data)
  const subject = await findSubject(services, event.data)
  if (!subject) return undefined
  const { doerId } = event.data
  const to = (named: readonly UserId[], concerned: RecipientSet = { ids: [] }): Audience => ({
    ...{ subject, doerId },
    named: named.filter((id) => id !== doerId),
    concerned,
  })
  const everybody = async (withWatchers: boolean): Promise<RecipientSet> => {
    const { db } = services
    const { issue } = subject
    const ids = await listParticipantIds(db, issue.id, { withAssignees: means === 'mail' })
    const watchers: RecipientSet['more'] = (after, limit) =>
      listWatcherIds(db, { repoId: issue.repo_id, hears: 'all', issueId: issue.id }, after, limit)
    return { ids, more: withWatchers ? watchers : undefined }
  }
  const isHeardByWatchers = !subject.issue.is_pull || !isDraft(services, subject.issue)
  switch (event.name) {
    case 'issue.assigned':
      return event.data.removed ? undefined : to([event.data.assigneeId])
    case 'review.requested': {
      const { removed, reviewerId, teamId } = event.data
      if (removed) return undefined
      const members = teamId === undefined ? [] : await listTeamMemberIds(services.db, teamId)
      const { poster_id: authorId } = subject.issue
      return to([...(reviewerId === undefined ? [] : [reviewerId]), ...members.filter((id) => id !== authorId)])
    }
    case 'issue.opened':
      // Watchers hear of the opening of a draft, but not of its later events.
      return to(event.data.mentioned ?? [], await everybody(true))
    case 'issue.commented': {
      const type = await findCommentType(services.db, event.data.issueId, event.data.commentId)
      if (type === undefined) return undefined
      const mentioned = event.data.mentioned ?? []
      // A line comment notifies only the accounts that it mentions.
      return type === 'code' ? to(mentioned) : to(mentioned, await everybody(isHeardByWatchers))
    }
    case 'review.submitted':
      return to(event.data.mentioned ?? [], await everybody(isHeardByWatchers))
    case 'issue.closed':
    case 'issue.reopened':
    case 'pull.synchronized':
    case 'pull.readied':
    case 'review.dismissed':
      return to([], await everybody(isHeardByWatchers))
  }
}

async function findSubject(
  { db }: Services,
  { repoId, issueId }: { readonly repoId: RepoId; readonly issueId: IssueId },
): Promise<(Subject & { readonly issue: NonNullable<Subject['issue']> }) | undefined> {
  const [issue, repos] = await Promise.all([findIssueById(db, issueId), loadReposWithOwners(db, [repoId])])
  const repoWithOwner = repos.get(repoId)
  return issue && repoWithOwner && { ...repoWithOwner, issue }
}

async function audienceOfTransfer(
  { db }: Services,
  { repoId, doerId, recipientId }: Event<'repo.transferOffered'>['data'],
): Promise<Audience | undefined> {
  const [recipient, repos] = await Promise.all([findUserById(db, recipientId), loadReposWithOwners(db, [repoId])])
  const subject = repos.get(repoId)
  // The transfer has been accepted, rejected or cancelled since the event.
  if (!recipient || !subject?.repo.has_transfer) return undefined
  const named = recipient.kind === 'organization' ? await listRepoMakerIds(db, recipientId) : [recipientId]
  return { subject, doerId, named: named.filter((id) => id !== doerId), concerned: { ids: [] } }
}
