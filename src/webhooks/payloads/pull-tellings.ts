import type { EventData } from '../../events/catalogue.ts'
import type { UserId } from '../../lib/ids.ts'
import type { HookEvent } from '../hook.rules.ts'
import type { PermissionsOf } from './payload-kit.present.ts'
import type { Telling, Tellings } from './telling.ts'

type PullChange = Pick<EventData<'pull.opened'>, 'repoId' | 'issueId' | 'doerId'>

interface Said {
  readonly event: string
  readonly eventType: HookEvent
  readonly action: string
  readonly shows: PermissionsOf
  readonly requestedReviewerId?: UserId
  readonly review?: { readonly type: string; readonly content: string }
}

/** Something that only happens to pull requests. */
const toldOf = ({ repoId, issueId, doerId }: PullChange, said: Said): Telling => ({
  event: said.event,
  eventType: said.eventType,
  to: { repoId },
  needs: {
    repoIds: [repoId],
    issueIds: [issueId],
    userIds: said.requestedReviewerId === undefined ? [doerId] : [doerId, said.requestedReviewerId],
  },
  async make(kit) {
    const row = kit.issues.get(issueId)
    if (!row) return undefined
    return {
      data: {
        action: said.action,
        number: row.index,
        pull_request: await kit.pull(issueId, doerId),
        requested_reviewer: said.requestedReviewerId === undefined ? null : kit.person(said.requestedReviewerId),
        repository: await kit.repository(repoId, said.shows),
        sender: kit.person(doerId),
        commit_id: '',
        review: said.review ?? null,
      },
    }
  },
})

const reviewEvents = {
  approve: { event: 'pull_request_approved', eventType: 'pull_request_review_approved' },
  reject: { event: 'pull_request_rejected', eventType: 'pull_request_review_rejected' },
  comment: { event: 'pull_request_comment', eventType: 'pull_request_review_comment' },
} as const satisfies Record<string, Pick<Said, 'event' | 'eventType'>>

/** Somebody was asked for a review, or is asked no longer; each member of a team by itself. */
function requested(data: EventData<'review.requested'>): readonly Telling[] {
  const { reviewerId, teamId } = data
  const action = data.removed ? 'review_request_removed' : 'review_requested'
  const of = (requestedReviewerId: UserId): Telling =>
    toldOf(data, {
      event: 'pull_request',
      eventType: 'pull_request_review_request',
      action,
      shows: { userId: data.doerId },
      requestedReviewerId,
    })
  if (reviewerId !== undefined) return reviewerId === data.doerId && !data.removed ? [] : [of(reviewerId)]
  if (teamId === undefined) return []
  const { repoId, issueId, doerId } = data
  return [
    {
      ...of(doerId),
      needs: { repoIds: [repoId], issueIds: [issueId], userIds: [doerId], teamIds: [teamId] },
      make: () => undefined,
      each: (kit) =>
        kit
          .teamMembers(teamId)
          .filter((id) => id !== kit.issues.get(issueId)?.poster_id)
          .map(of),
    },
  ]
}

export const pullTellings: Tellings = {
  'pull.synchronized': ({ data }) => [
    toldOf(data, { event: 'pull_request', eventType: 'pull_request_sync', action: 'synchronized', shows: 'all' }),
  ],
  'review.requested': ({ data }) => requested(data),
  'review.submitted': ({ data }) => {
    const { event, eventType } = reviewEvents[data.type]
    const told = toldOf(data, {
      event,
      eventType,
      action: 'reviewed',
      // Those of a reader, whatever the reviewer may do (observed).
      shows: 'reader',
      requestedReviewerId: data.doerId,
    })
    return [
      {
        ...told,
        needs: { ...told.needs, reviewIds: [data.reviewId] },
        async make(kit) {
          const made = await told.make(kit)
          const content = kit.reviews.get(data.reviewId)?.content ?? ''
          return made && { ...made, data: { ...made.data, review: { type: eventType, content } } }
        },
      },
    ]
  },
}
