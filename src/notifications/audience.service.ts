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

/** The events that people are told of; what else happens to an issue is seen where one looks at it (contract). */
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
 * Whether an event may be told to anybody, by what its transaction knows: most issues are a matter of the one who writes them,
 * as long as nobody else watches.
 */
export async function isHeard(tx: Tx, event: NotifiedEvent): Promise<boolean> {
  const { name, data } = event
  if (name === 'issue.opened' || name === 'issue.commented') {
    return (data.mentioned ?? []).length > 0 || mayConcernOthers(tx, data)
  }
  // Nobody is told of what they do to themselves, nor of what is taken from them.
  if (name === 'issue.assigned') return !data.removed && data.assigneeId !== data.doerId
  if (name === 'review.requested') return !data.removed
  return name === 'issue.closed' || name === 'issue.reopened' ? mayConcernOthers(tx, data) : true
}

/** Whom an event is told to, before it is asked who of them may read of it. */
export interface Audience {
  readonly subject: Subject
  readonly doerId: UserId
  /** Those it is for by name: mentioned, assigned, asked for a review, offered a repository. */
  readonly named: readonly UserId[]
  /** Everybody else who has to do with it; nobody where it is a matter between a few. */
  readonly concerned: NotifiedPeople
}

/** People to be told, of whom there may be very many. */
export interface NotifiedPeople {
  readonly ids: readonly UserId[]
  /** Some more of them, by id, after one. */
  readonly more?: ((after: UserId, limit: number) => Promise<UserId[]>) | undefined
}

/** What differs between notifications and mail: people may want to have mail of what they did themselves. */
export type Channel = 'thread' | 'mail'

/** Whom an event is told to; undefined when its subject is gone, or nobody is. Source: contract (notifications). */
export async function audienceOf(
  services: Services,
  event: NotifiedEvent,
  means: Channel,
): Promise<Audience | undefined> {
  if (event.name === 'repo.transferOffered') return audienceOfTransfer(services, event.data)
  const subject = await findSubject(services, event.data)
  if (!subject) return undefined
  const { doerId } = event.data
  const to = (named: readonly UserId[], concerned: NotifiedPeople = { ids: [] }): Audience => ({
    ...{ subject, doerId },
    named: named.filter((id) => id !== doerId),
    concerned,
  })
  const everybody = async (withWatchers: boolean): Promise<NotifiedPeople> => {
    const { db } = services
    const { issue } = subject
    const ids = await listParticipantIds(db, issue.id, { withAssignees: means === 'mail' })
    const watchers: NotifiedPeople['more'] = (after, limit) =>
      listWatcherIds(db, { repoId: issue.repo_id, issueId: issue.id }, after, limit)
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
      // Also of a draft: what follows is told to those who take part.
      return to(event.data.mentioned ?? [], await everybody(true))
    case 'issue.commented': {
      const type = await findCommentType(services.db, event.data.issueId, event.data.commentId)
      if (type === undefined) return undefined
      const mentioned = event.data.mentioned ?? []
      // What is said of a line outside of a review is between those whom it names.
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
  // It was accepted, rejected or taken back since.
  if (!recipient || !subject?.repo.has_transfer) return undefined
  const named = recipient.kind === 'organization' ? await listRepoMakerIds(db, recipientId) : [recipientId]
  return { subject, doerId, named: named.filter((id) => id !== doerId), concerned: { ids: [] } }
}
