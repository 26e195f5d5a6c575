import type { Services } from '../access/context.ts'
import { subscriber } from '../events/subscriber.ts'
import { isHeard, notifiedEvents } from './audience.service.ts'
import { causeText } from './cause.rules.ts'
import { notifyOf } from './notify.service.ts'
import { retractThreads } from './notify.store.ts'

/** Makes the threads of those whom an event is told to. */
export const notifyPeople = subscriber({
  name: 'notifyPeople',
  on: notifiedEvents,
  isNeeded: isHeard,
  // One after the other for each subject, so that two workers do not write the same threads at the same time.
  lane: ({ data }) => `notify ${'issueId' in data ? `issue ${data.issueId}` : `repo ${data.repoId}`}`,
  whenFailing: 'pass',
  afterCommit: (services: Services, event, run) => notifyOf(services, event, run),
})

/** Takes threads back in the transaction that deletes the comment or review that moved them. */
export const retractNotifications = subscriber({
  name: 'retractNotifications',
  on: ['comment.deleted', 'review.deleted'],
  async inTransaction(tx, { name, data }) {
    const cause =
      name === 'comment.deleted'
        ? { table: 'comment' as const, id: data.commentId }
        : { table: 'review' as const, id: data.reviewId }
    await retractThreads(tx, data.issueId, causeText(cause))
  },
})
