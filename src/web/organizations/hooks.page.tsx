import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { hooksOfAccount } from '../../webhooks/hook-owner.ts'
import { hookPages } from '../shared/hooks/hook-pages.ts'
import { inOrgSettings, orgSettingsMeta, orgSettingsPath } from './settings-frame.tsx'

/** The webhooks of an organization. */
export const {
  listPage: orgHooksPage,
  newPage: newOrgHookPage,
  create: createOrgHookSubmit,
  hookPage: orgHookPage,
  edit: editOrgHookSubmit,
  remove: deleteOrgHookSubmit,
  deliveryPage: orgHookDeliveryPage,
  replayOne: replayOrgHookSubmit,
  replayFailed: replayFailedOrgHookSubmit,
} = hookPages({
  twins: 'org',
  path: '/org/{org}/settings/hooks',
  requires: [inOrg, orgOwner],
  ownerOf: ({ org }) => hooksOfAccount(org.id),
  pathOf: (ctx) => orgSettingsPath(ctx, 'hooks'),
  frame: inOrgSettings('hooks'),
  meta: (ctx) => orgSettingsMeta('hooks', ctx),
})
