import type { Feature } from '../access/feature.ts'
import * as orgRoutes from './org.routes.ts'
import * as orgMemberRoutes from './member.routes.ts'
import * as orgBlockRoutes from './block.routes.ts'
import * as teamRoutes from './team.routes.ts'
import * as orgAvatarRoutes from './avatar.routes.ts'
import { teamCounters } from './counter.store.ts'
import { solelyOwnedOrgs } from './org.owned.ts'

/** Organizations, their members and teams. */
export const orgs: Feature = {
  routes: [orgRoutes, orgMemberRoutes, orgBlockRoutes, teamRoutes, orgAvatarRoutes],
  owns: [solelyOwnedOrgs],
  counters: teamCounters,
}
