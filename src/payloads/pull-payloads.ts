import type { EventData } from '../events/catalogue.ts'
import type { UserId } from '../lib/ids.ts'
import type { WebhookEvent } from './webhook-event.ts'
import type { PermissionsOf } from './payload.present.ts'
import type { EventPayload, EventPayloads } from './event-payload.ts'

type PullChange = Pick<EventData<'pull.opened'>, 'repoId' | 'issueId' | 'doerId'>

interface PullPayloadOptions {
  readonly event: string
  readonly eventType: WebhookEvent
  readonly action: string
  readonly permissionsOf: PermissionsOf
  readonly requestedReviewerId?: UserId
  readonly review?: { readonly type: string; readonly content: string }
}

/** Returns the payload of a change that only pull requests have. */
const pullPayload = ({ repoId, issueId, doerId }: PullChange, options: PullPayloadOptions): EventPayload => ({
  event: options.event,
  eventType: options.eventType,
  to: { repoId },
  needs: {
    repoIds: [repoId],
    issueIds: [issueId],
    userIds: options.requestedReviewerId === undefined ? [doerId] : [doerId, options.requestedReviewerId],
  },
  async build(presenter) {
    const row = presenter.issues.get(issueId)
    if (!row) return undefined
    return {
      data: {
        action: options.action,
        number: row.index,
        pull_request: await presenter.pull(issueId, doerId),
        requested_reviewer:
          options.requestedReviewerId === undefined ? null : presenter.person(options.requestedReviewerId),
        repository: await presenter.repository(repoId, options.permissionsOf),
        sender: presenter.person(doerId),
        commit_id: '',
        review: options.review ?? null,
      },
    }
  },
})

const reviewEvents = {
  approve: { event: 'pull_request_approved', eventType: 'pull_request_review_approved' },
  reject: { event: 'pull_request_rejected', eventType: 'pull_request_review_rejected' },
  comment: { event: 'pull_request_comment', eventType: 'pull_request_review_comment' },
} as const satisfies Record<string, Pick<PullPayloadOptions, 'event' | 'eventType'>>

/** Returns a payload per reviewer whose review was requested or whose request was removed; a team is expanded into its members. */
function requested(data: EventData<'review.requested'>): readonly EventPayload[] {
  const { reviewerId, teamId } = data
  const action = data.removed ? 'review_request_removed' : 'review_requested'
  const payloadFor = (requestedReviewerId: UserId): EventPayload =>
    pullPayload(data, {
      event: 'pull_request',
      eventType: 'pull_request_review_request',
      action,
      permissionsOf: { userId: data.doerId },
      requestedReviewerId,
    })
  if (reviewerId !== undefined) return reviewerId === data.doerId && !data.removed ? [] : [payloadFor(reviewerId)]
  if (teamId === undefined) return []
  const { repoId, issueId, doerId } = data
  return [
    {
      ...payloadFor(doerId),
      needs: { repoIds: [repoId], issueIds: [issueId], userIds: [doerId], teamIds: [teamId] },
      build: () => undefined,
      expand: (presenter) =>
        presenter
          .teamMembers(teamId)
          .filter((id) => id !== presenter.issues.get(issueId)?.poster_id)
          .map(payloadFor),
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
    const payload = pullPayload(data, {
      event,
      eventType,
      action: 'reviewed',
      // The permissions of a reader, whatever the reviewer may do (observed).
      permissionsOf: 'reader',
      requestedReviewerId: data.doerId,
    })
    return [
      {
        ...payload,
        needs: { ...payload.needs, reviewIds: [data.reviewId] },
        async build(presenter) {
          const built = await payload.build(presenter)
          const content = presenter.reviews.get(data.reviewId)?.content ?? ''
          return built && { ...built, data: { ...built.data, review: { type: eventType, content } } }
        },
      },
    ]
  },
}
