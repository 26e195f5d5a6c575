import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { presentSettings } from './settings.present.ts'
import { UserSettings, UserSettingsOptions } from './settings.schemas.ts'
import { editSettings } from './settings.service.ts'

export const getUserSettings = operation({
  method: 'GET',
  path: '/user/settings',
  cost: 'usual',
  scope: 'user',
  requires: [signedIn, signedIn],
  reply: { 200: UserSettings },
  summary: 'Get the own settings',
  run: async ({ ctx }) => ok(presentSettings(ctx.viewer.user)),
})

export const updateUserSettings = operation({
  method: 'PATCH',
  path: '/user/settings',
  cost: 'usual',
  scope: 'user',
  requires: [signedIn, signedIn, validBody],
  body: UserSettingsOptions,
  reply: { 200: UserSettings },
  summary: 'Change the own settings',
  async run({ ctx, body }) {
    const { hide_email, ...rest } = body
    const user = await editSettings(ctx, ctx.viewer.user, { ...rest, keep_email_private: hide_email })
    return ok(presentSettings(user))
  },
})
