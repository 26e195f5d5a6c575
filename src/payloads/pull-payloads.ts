import type { EventData } from '../events/catalogue.ts'
import type { UserId } from '../lib/ids.ts'
import type { WebhookEvent } from './webhook-event.ts'
import type { PermissionsOf } from './payload.present.ts'
import type { EventPayload, EventPayloads } from './event-payload.ts'

type PullChange = Pick<EventData<'pull.opened'>, 'repoId' | 'issueId' | 'doerId'>

interface PullPayload {
  readonly event: string
  readonly eventType: WebhookEvent
  readonly action: string
  readonly permissionsOf: PermissionsOf
  readonly requestedReviewerId?: UserId
  readonly review?: { readonly type: string; readonly content: string }
}

/** Something that only happens to pull requests. */
const pullPayload = ({ repoId, issueId, doerId }: PullChange, said: PullPayload): EventPayload => ({
  event: said.event,
  eventType: said.eventType,
  to: { repoId },
  needs: {
    repoIds: [repoId],
    issueIds: [issueId],
    userIds: said.requestedReviewerId === undefined ? [doerId] : [doerId, said.requestedReviewerId],
  },
  async build(kit) {
    const row = kit.issues.get(issueId)
    if (!row) return undefined
    return {
      data: {
        action: said.action,
        number: row.index,
        pull_request: await kit.pull(issueId, doerId),
        requested_reviewer: said.requestedReviewerId === undefined ? null : kit.person(said.requestedReviewerId),
        repository: await kit.repository(repoId, said.permissionsOf),
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
} as const satisfies Record<string, Pick<PullPayload, 'event' | 'eventType'>>

/** Somebody was asked for a review, or is asked no longer; each member of a team by itself. */
function requested(data: EventData<'review.requested'>): readonly EventPayload[] {
  const { reviewerId, teamId } = data
  const action = data.removed ? 'review_request_removed' : 'review_requested'
  const of = (requestedReviewerId: UserId): EventPayload =>
    pullPayload(data, {
      event: 'pull_request',
      eventType: 'pull_request_review_request',
      action,
      permissionsOf: { userId: data.doerId },
      requestedReviewerId,
    })
  if (reviewerId !== undefined) return reviewerId === data.doerId && !data.removed ? [] : [of(reviewerId)]
  if (teamId === undefined) return []
  const { repoId, issueId, doerId } = data
  return [
    {
      ...of(doerId),
      needs: { repoIds: [repoId], issueIds: [issueId], userIds: [doerId], teamIds: [teamId] },
      build: () => undefined,
      expand: (kit) =>
        kit
          .teamMembers(teamId)
          .filter((id) => id !== kit.issues.get(issueId)?.poster_id)
          .map(of),
    },
  ]
}

export const pullPayloads: EventPayloads = {
  'pull.synchronized': ({ data }) => [
    pullPayload(data, {
      event: 'pull_request',
      eventType: 'pull_request_sync',
      action: 'synchronized',
      permissionsOf: 'all',
    }),
  ],
  'review.requested': ({ data }) => requested(data),
  'review.submitted': ({ data }) => {
    const { event, eventType } = reviewEvents[data.type]
    const told = pullPayload(data, {
      event,
      eventType,
      action: 'reviewed',
      // Those of a reader, whatever the reviewer may do (observed).
      permissionsOf: 'reader',
      requestedReviewerId: data.doerId,
    })
    return [
      {
        ...told,
        needs: { ...told.needs, reviewIds: [data.reviewId] },
        async build(kit) {
          const made = await told.build(kit)
          const content = kit.reviews.get(data.reviewId)?.content ?? ''
          return made && { ...made, data: { ...made.data, review: { type: eventType, content } } }
        },
      },
    ]
  },
}
