import type { Feature } from '../access/feature.ts'
import { releaseTagEffect } from './release-record.service.ts'
import * as releaseRoutes from './release.routes.ts'
import { releaseCounters } from './release.store.ts'
import { withdrawReleasesWithoutTag } from './release.subscribers.ts'

/** Releases and their files. */
export const releases: Feature = {
  routes: [releaseRoutes],
  subscribers: [withdrawReleasesWithoutTag],
  refEffects: [releaseTagEffect],
  counters: releaseCounters,
}
