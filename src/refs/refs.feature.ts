import type { Feature } from '../access/feature.ts'
import { allowances } from './allow-list.owned.ts'
import { forgetAllowedTeam } from './allow-list.subscribers.ts'
import * as branchProtectionRoutes from './branch-protection.routes.ts'
import * as tagProtectionRoutes from './tag-protection.routes.ts'
import { deletedBranchesCleanup } from './deleted-branches-cleanup.task.ts'
import { journalCheck, referencesCheck } from './doctor.service.ts'
import { leftoverAgeSeconds, settleChange, settleLeftovers } from './ref-door.service.ts'
import { settleRefChanges } from './settle-ref-changes.task.ts'
import { copyTemplateProtections } from './template-protection.subscribers.ts'

/** The door through which references change, its journal, and what protects them. */
export const refs: Feature = {
  routes: [branchProtectionRoutes, tagProtectionRoutes],
  subscribers: [copyTemplateProtections, forgetAllowedTeam],
  owns: [allowances],
  jobs: [settleChange],
  schedules: (config) => [settleRefChanges, deletedBranchesCleanup(config)],
  // What another process may still be at is left to its own time.
  begin: (services, { isAlone }) => settleLeftovers(services, isAlone ? 0 : leftoverAgeSeconds),
  doctor: [journalCheck, referencesCheck],
}
