import { blockedTexts as texts } from '../../languages/texts.ts'
import { blockedPages } from '../../shared/blocked/blocked-pages.ts'
import { inSettings, settingsMeta, settingsPath } from '../settings-frame.tsx'

/** The people that the account blocks. */
export const {
  listPage: blockedPeoplePage,
  blockPerson: blockPersonSubmit,
  unblockPerson: unblockPersonSubmit,
} = blockedPages({
  path: '/user/settings/blocked_users',
  twins: 'user',
  requires: [],
  ownerOf: ({ viewer }) => viewer.user,
  pathOf: () => settingsPath('blocked'),
  leadOf: () => texts.lead,
  frame: inSettings('blocked'),
  meta: () => settingsMeta('blocked'),
})
