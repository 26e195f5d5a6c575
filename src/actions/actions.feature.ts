import type { Feature } from '../access/feature.ts'
import * as dispatchRoutes from './runs/dispatch.routes.ts'
import * as runRoutes from './runs/run.routes.ts'
import { startScheduleTasks } from './runs/start-schedule-tasks.task.ts'
import * as actionSecretRoutes from './secret.routes.ts'
import { secretPurpose } from './secret.service.ts'
import * as actionVariableRoutes from './variable.routes.ts'
import { readWorkflows } from './workflows/workflow-files.service.ts'

/** Workflows: their secrets and variables, their runs, and what makes these. */
export const actions: Feature = {
  routes: [actionSecretRoutes, actionVariableRoutes, runRoutes, dispatchRoutes],
  schedules: (config) => [startScheduleTasks(config)],
  services: [readWorkflows],
  sealed: [{ table: 'action_secret', column: 'sealed', purpose: secretPurpose }],
}
