import { cleanupPages } from '../../shared/cleanup/cleanup-pages.ts'
import { inSettings, settingsMeta, settingsPath } from '../settings-frame.tsx'

/** The clean-up rules of the account's packages. */
export const {
  listPage: cleanupRulesPage,
  add: addCleanupRuleSubmit,
  rulePage: cleanupRulePage,
  edit: editCleanupRuleSubmit,
  runNow: runCleanupRuleSubmit,
  remove: deleteCleanupRuleSubmit,
} = cleanupPages({
  path: '/user/settings/packages',
  requires: [],
  ownerOf: ({ viewer }) => viewer.user,
  pathOf: () => settingsPath('packages'),
  frame: inSettings('packages'),
  meta: () => settingsMeta('packages'),
})
