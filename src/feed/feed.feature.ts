import type { Feature } from '../access/feature.ts'
import * as feedRoutes from './feed.routes.ts'
import { feedWaker } from './feed-waker.ts'

/** What happens, for those who follow it from outside. */
export const feed: Feature = {
  routes: [feedRoutes],
  services: [feedWaker],
}
