import { hooksOfAccount } from '../../../webhooks/hook-owner.ts'
import { hookPages } from '../../shared/hooks/hook-pages.ts'
import { inSettings, settingsMeta, settingsPath } from '../settings-frame.tsx'

/** The webhooks of the account. */
export const {
  listPage: userHooksPage,
  newPage: newUserHookPage,
  create: createUserHookSubmit,
  hookPage: userHookPage,
  edit: editUserHookSubmit,
  remove: deleteUserHookSubmit,
  deliveryPage: userHookDeliveryPage,
  replayOne: replayUserHookSubmit,
  replayFailed: replayFailedUserHookSubmit,
} = hookPages({
  twins: 'user',
  path: '/user/settings/hooks',
  requires: [],
  ownerOf: ({ viewer }) => hooksOfAccount(viewer.id),
  pathOf: () => settingsPath('hooks'),
  frame: inSettings('hooks'),
  meta: () => settingsMeta('hooks'),
})
