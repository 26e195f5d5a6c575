import type { Feature } from '../access/feature.ts'
import { moveActsToOwner, recordActs, recordPushedRefs, recordPushes } from './act.subscribers.ts'
import { deleteOldActions } from './delete-old-actions.task.ts'
import * as feedRoutes from './feed.routes.ts'
import * as syndicationRoutes from './syndication.routes.ts'

/** Activity feeds and heatmaps. */
export const activity: Feature = {
  routes: [feedRoutes, syndicationRoutes],
  subscribers: [recordActs, moveActsToOwner, recordPushedRefs, recordPushes],
  schedules: (config) => [deleteOldActions(config)],
}
