import type { Feature } from '../access/feature.ts'
import * as actionSecretRoutes from './secret.routes.ts'
import * as actionVariableRoutes from './variable.routes.ts'
import { secretPurpose } from './secret.service.ts'

/** Secrets and variables of workflows. */
export const actions: Feature = {
  routes: [actionSecretRoutes, actionVariableRoutes],
  sealed: [{ table: 'action_secret', column: 'sealed', purpose: secretPurpose }],
}
