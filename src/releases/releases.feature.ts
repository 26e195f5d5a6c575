import type { Feature } from '../access/feature.ts'
import * as assetRoutes from './asset.routes.ts'
import { releaseFiles } from './asset.service.ts'
import * as releaseRoutes from './release.routes.ts'
import { releaseCounters } from './release.store.ts'
import { withdrawReleasesWithoutTag } from './release.subscribers.ts'

/** Releases and their files. */
export const releases: Feature = {
  routes: [releaseRoutes, assetRoutes],
  subscribers: [withdrawReleasesWithoutTag],
  fileHolders: [releaseFiles],
  counters: releaseCounters,
}
