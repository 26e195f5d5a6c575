import type { Feature } from '../access/feature.ts'
import { cleanupPackages, deletePackageContents } from './cleanup-packages.task.ts'
import { packagesCheck } from './doctor.service.ts'
import * as genericRoutes from './generic/generic.routes.ts'
import { ownedPackages } from './package.owned.ts'
import * as packageRoutes from './package.routes.ts'
import { unlinkTransferred } from './package.subscribers.ts'

/** Packages of accounts and organizations, and the registries that they are published to and fetched from. */
export const packages: Feature = {
  routes: [packageRoutes, genericRoutes],
  subscribers: [unlinkTransferred],
  jobs: [deletePackageContents],
  schedules: (config) => [cleanupPackages(config)],
  files: [{ table: 'package_blob', column: 'blob_key', store: 'packages' }],
  doctor: [packagesCheck],
  owns: [ownedPackages],
}
