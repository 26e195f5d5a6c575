import type { UserRow } from '../../../db/tables/accounts.ts'
import { Invalid } from '../../../lib/errors.ts'
import { removeAvatar } from '../../../users/avatars/avatar.service.ts'
import { editSettings } from '../../../users/settings/settings.service.ts'
import { pictureTexts } from '../../languages/texts.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { ProfileView, profileForm } from './profile.view.tsx'
import { inSettings, settingsMeta, settingsPath } from '../settings-frame.tsx'
import { settingsTexts as texts } from '../../languages/texts.ts'

const path = settingsPath('profile')

/** Shows what others see of the account. */
export const settingsPage = page({
  path: '/user/settings',
  twin: 'getUserSettings',
  cost: 'usual',
  requires: [inSession],
  isSecret: true,
  frame: inSettings('profile'),
  load: async ({ ctx }) => ({ user: ctx.viewer.user }),
  meta: () => settingsMeta('profile'),
  view: ProfileView,
})

/** Changes the profile. */
export const profileSubmit = act({
  path: '/user/settings',
  edits: true,
  twin: 'updateUserSettings',
  cost: 'usual',
  requires: [],
  ...profileForm.act,
  again: settingsPage,
  async run({ ctx, body }) {
    const { user } = ctx.viewer
    const profile = profileForm.read(body)
    const { visibility = user.visibility } = profile
    if (visibility !== user.visibility && !ctx.config.service.allowedUserVisibilityModes.includes(visibility)) {
      throw new Invalid(texts.profile.visibilityRefused, 'visibility_invalid')
    }
    await editSettings(ctx, user, { ...profile, visibility: visibility as UserRow['visibility'] })
    return { to: path, notice: texts.saved }
  },
})

/** Shows the generated picture again. */
export const deleteAvatarSubmit = act({
  path: '/user/settings/avatar/delete',
  twin: 'userDeleteAvatar',
  cost: 'usual',
  requires: [],
  async run({ ctx }) {
    await removeAvatar(ctx, { kind: 'individual', id: ctx.viewer.id }, ctx.viewer.id)
    return { to: path, notice: pictureTexts.removed }
  },
})
