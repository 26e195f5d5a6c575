import type { Feature } from '../access/feature.ts'
import { allowances } from './protection/allow-list.owned.ts'
import { forgetAllowedTeam } from './protection/allow-list.subscribers.ts'
import * as branchProtectionRoutes from './protection/branch-protection.routes.ts'
import * as tagProtectionRoutes from './protection/tag-protection.routes.ts'
import { deletedBranchesCleanup } from './changes/deleted-branches-cleanup.task.ts'
import { removeUnnamedPacks } from './changes/remove-unnamed-packs.task.ts'
import { referencesCheck } from './doctor.service.ts'
import { copyTemplateProtections } from './protection/template-protection.subscribers.ts'

/** References: their changes, protections and pushes. */
export const refs: Feature = {
  routes: [branchProtectionRoutes, tagProtectionRoutes],
  subscribers: [copyTemplateProtections, forgetAllowedTeam],
  owns: [allowances],
  schedules: (config) => [deletedBranchesCleanup(config), ...(config.packStorage ? [removeUnnamedPacks] : [])],
  doctor: [referencesCheck],
}
