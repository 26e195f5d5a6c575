import type { UserRow } from '../../../db/tables/accounts.ts'
import { Invalid } from '../../../lib/errors.ts'
import { removeAvatar } from '../../../users/avatars/avatar.service.ts'
import { editSettings } from '../../../users/settings/settings.service.ts'
import { pictureTexts } from '../../languages/texts.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { ProfileView } from './profile.view.tsx'
import { inSettings, settingsMeta, settingsPath } from '../settings-frame.tsx'
import { settingsTexts as texts } from '../../languages/texts.ts'
import { textUpTo } from '../../ui/fields.ts'

const text = textUpTo(4096)
const path = settingsPath('profile')

/** Shows what others see of the account. */
export const settingsPage = page({
  path: '/user/settings',
  twin: 'getUserSettings',
  cost: 'usual',
  requires: [inSession],
  isSecret: true,
  frame: inSettings('profile'),
  load: async ({ ctx }) => ({
    user: ctx.viewer.user,
    visibilities: ctx.config.service.allowedUserVisibilityModes,
  }),
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
  fields: {
    full_name: textUpTo(100),
    description: textUpTo(255),
    website: textUpTo(255),
    location: textUpTo(50),
    pronouns: textUpTo(50),
    hide_pronouns: text,
    hide_activity: text,
    visibility: text,
  },
  again: settingsPage,
  problemFields: { website: 'website' },
  async run({ ctx, body }) {
    const { user } = ctx.viewer
    const visibility = ctx.config.service.allowedUserVisibilityModes.find((each) => each === body.visibility) as
      | UserRow['visibility']
      | undefined
    if (visibility === undefined && body.visibility !== undefined && body.visibility !== user.visibility) {
      throw new Invalid(texts.profile.visibilityRefused, 'visibility_invalid')
    }
    await editSettings(ctx, user, {
      full_name: body.full_name?.trim(),
      description: body.description?.trim(),
      website: body.website?.trim(),
      location: body.location?.trim(),
      pronouns: body.pronouns?.trim(),
      hide_pronouns: body.hide_pronouns !== undefined,
      hide_activity: body.hide_activity !== undefined,
      visibility,
    })
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
