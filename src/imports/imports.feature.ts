import type { Feature } from '../access/feature.ts'
import { followMirrors } from './follow-mirror.subscribers.ts'
import { removeStrayImports } from './import-repair.service.ts'
import * as migrateRoutes from './migrate.routes.ts'
import { runImportJob } from './run-import.job.ts'
import { importPurpose } from './run-import.service.ts'

/** Imports of repositories from other servers, and mirrors of more than references. */
export const imports: Feature = {
  routes: [migrateRoutes],
  subscribers: [followMirrors],
  jobs: [runImportJob],
  sealed: [{ table: 'repo_import', column: 'sealed_credentials', purpose: importPurpose }],
  begin: (services, { isAlone }) => (isAlone ? removeStrayImports(services) : Promise.resolve()),
}
