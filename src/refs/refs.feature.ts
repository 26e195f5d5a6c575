import type { Feature } from '../access/feature.ts'
import { allowances } from './protection/allow-list.owned.ts'
import { forgetAllowedTeam } from './protection/allow-list.subscribers.ts'
import * as branchProtectionRoutes from './protection/branch-protection.routes.ts'
import * as tagProtectionRoutes from './protection/tag-protection.routes.ts'
import { deletedBranchesCleanup } from './journal/deleted-branches-cleanup.task.ts'
import { journalCheck, referencesCheck } from './doctor.service.ts'
import { settleLeftovers } from './journal/leftovers.service.ts'
import { settleChange } from './journal/ref-door.service.ts'
import { settleRefChanges } from './journal/settle-ref-changes.task.ts'
import { copyTemplateProtections } from './protection/template-protection.subscribers.ts'

/** Changes of references: their journal, protections and pushes. */
export const refs: Feature = {
  routes: [branchProtectionRoutes, tagProtectionRoutes],
  subscribers: [copyTemplateProtections, forgetAllowedTeam],
  owns: [allowances],
  jobs: [settleChange],
  schedules: (config) => [settleRefChanges, deletedBranchesCleanup(config)],
  async begin(services, { isAlone }) {
    await settleLeftovers(services, isAlone ? 'all' : 'abandoned')
    services.process.onBeat(() => settleLeftovers(services, 'abandoned'))
  },
  doctor: [journalCheck, referencesCheck],
}
