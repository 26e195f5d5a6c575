import type { Feature } from '../access/feature.ts'
import { notificationCounters } from './counter.store.ts'
import { markIssueThreadRead } from './issue-reading.job.ts'
import { notifyPeople, retractNotifications } from './notify.subscribers.ts'
import * as threadRoutes from './thread.routes.ts'

/** Notification threads of each account. */
export const notifications: Feature = {
  routes: [threadRoutes],
  subscribers: [notifyPeople, retractNotifications],
  jobs: [markIssueThreadRead],
  counters: notificationCounters,
}
