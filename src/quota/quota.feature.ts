import type { Feature } from '../access/feature.ts'
import * as groupRoutes from './group.routes.ts'
import * as quotaRoutes from './quota.routes.ts'
import * as ruleRoutes from './rule.routes.ts'
import { usageCheck } from './doctor.service.ts'

/** Quotas of stored bytes. */
export const quota: Feature = {
  routes: [quotaRoutes, ruleRoutes, groupRoutes],
  doctor: [usageCheck],
}
