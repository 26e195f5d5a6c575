import type { Services } from '../access/context.ts'
import { subscriber } from '../events/subscriber.ts'
import { mayHaveRecipients, notifiedEvents } from './audience.service.ts'
import { textsOfCause } from './cause.rules.ts'
import { notifyOf } from './notify.service.ts'
import { retractThreads } from './notify.store.ts'
import { laneOfIssue } from './thread.rules.ts'

/** Creates or updates the notification threads of an event's recipients. */
export const notifyPeople = subscriber({
  name: 'notifyPeople',
  on: notifiedEvents,
  isNeeded: mayHaveRecipients,
  // One lane per subject keeps two workers from writing the same threads at the same time.
  lane: ({ data }) => ('issueId' in data ? laneOfIssue(data.issueId) : `notify repo ${data.repoId}`),
  whenFailing: 'pass',
  afterCommit: (services: Services, event, run) => notifyOf(services, event, run),
})

/** Retracts threads in the transaction that deletes the comment or review that caused them. */
export const retractNotifications = subscriber({
  name: 'retractNotifications',
  on: ['comment.deleted', 'review.deleted'],
  async inTransaction(tx, { name, data }) {
    const cause =
      name === 'comment.deleted'
        ? { table: 'comment' as const, id: data.commentId }
        : { table: 'review' as const, id: data.reviewId }
    await retractThreads(tx, data.issueId, textsOfCause(cause))
  },
})
