import type { Feature } from '../access/feature.ts'
import { lfsCounters } from './counter.store.ts'
import { lfsCheck } from './retention/doctor.service.ts'
import { gcLfs } from './retention/gc-lfs.task.ts'
import { lfsFiles } from './objects/large-files.ts'
import { objectsOfRepo } from './lfs.owned.ts'
import {
  copyObjectsOfTemplate,
  copyObjectsToFork,
  linkLfsObjects,
  linkObjectsOfBase,
  linkObjectsOfMerge,
  sweepAfterRepo,
} from './lfs.subscribers.ts'
import * as lockRoutes from './locks/lock.routes.ts'
import * as objectRoutes from './objects/object.routes.ts'
import { lfsUsage } from './objects/object.service.ts'
import { deleteLfsFiles, sweepLfsBlobs } from './retention/release.job.ts'
import { lfsTickets } from './tickets/ticket.credentials.ts'

/** Git LFS: objects, locks, tickets and garbage collection. */
export const lfs: Feature = {
  routes: [objectRoutes, lockRoutes],
  credentials: [lfsTickets],
  subscribers: [copyObjectsToFork, copyObjectsOfTemplate, linkObjectsOfMerge, linkObjectsOfBase, sweepAfterRepo],
  jobs: [linkLfsObjects, deleteLfsFiles, sweepLfsBlobs],
  schedules: (config) => [gcLfs(config)],
  files: [{ table: 'lfs_blob', column: 'blob_key', store: 'lfs' }],
  counters: lfsCounters,
  usage: [lfsUsage],
  doctor: [lfsCheck],
  owns: [objectsOfRepo],
  largeFiles: lfsFiles,
}
