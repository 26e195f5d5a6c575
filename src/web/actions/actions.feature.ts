import type { Feature } from '../../access/feature.ts'
import * as jobPage from './job.page.tsx'
import * as liveRoutes from './live.routes.ts'
import * as runPage from './run.page.tsx'
import * as workflowsPage from './workflows.page.tsx'

/** The pages about workflows and their runs. */
export const webActions: Feature = { routes: [jobPage, liveRoutes, runPage, workflowsPage] }
