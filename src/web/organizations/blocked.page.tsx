import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { blockedTexts as texts } from '../languages/texts.ts'
import { blockedPages } from '../shared/blocked/blocked-pages.ts'
import { inOrgSettings, orgSettingsMeta, orgSettingsPath } from './settings-frame.tsx'

/** The people that an organization blocks. */
export const {
  listPage: orgBlockedPage,
  blockPerson: orgBlockSubmit,
  unblockPerson: orgUnblockSubmit,
} = blockedPages({
  path: '/org/{org}/settings/blocked_users',
  twins: 'org',
  requires: [inOrg, orgOwner],
  ownerOf: ({ org }) => org,
  pathOf: (ctx) => orgSettingsPath(ctx, 'blocked'),
  leadOf: ({ name }) => texts.leadOf(name),
  frame: inOrgSettings('blocked'),
  meta: (ctx) => orgSettingsMeta('blocked', ctx),
})
