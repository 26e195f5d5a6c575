import type { Feature } from '../access/feature.ts'
import * as feedRoutes from './feed.routes.ts'
import { feedWaker } from './feed-waker.ts'

/** The change feed: events for external readers. */
export const feed: Feature = {
  routes: [feedRoutes],
  services: [feedWaker],
}
