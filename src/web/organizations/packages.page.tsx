import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { cleanupPages } from '../shared/cleanup/cleanup-pages.ts'
import { inOrgSettings, orgSettingsMeta, orgSettingsPath } from './settings-frame.tsx'

/** The clean-up rules of an organization's packages. */
export const {
  listPage: orgCleanupRulesPage,
  add: addOrgCleanupRuleSubmit,
  rulePage: orgCleanupRulePage,
  edit: editOrgCleanupRuleSubmit,
  runNow: runOrgCleanupRuleSubmit,
  remove: deleteOrgCleanupRuleSubmit,
} = cleanupPages({
  path: '/org/{org}/settings/packages',
  requires: [inOrg, orgOwner],
  ownerOf: ({ org }) => org,
  pathOf: (ctx) => orgSettingsPath(ctx, 'packages'),
  frame: inOrgSettings('packages'),
  meta: (ctx) => orgSettingsMeta('packages', ctx),
})
