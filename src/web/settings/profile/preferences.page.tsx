import { Type } from 'typebox'
import { enumeration } from '../../../http/schema.ts'
import { editSettings } from '../../../users/settings/settings.service.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { languageFor } from '../../shell/language-for.ts'
import { act, page } from '../../shell/page.tsx'
import { AppearanceView, appearanceForm, NotificationSettingsView } from './preferences.view.tsx'
import { inSettings, settingsMeta, settingsPath } from '../settings-frame.tsx'
import { readIn } from '../../languages/reader.ts'
import { settingsTexts as texts } from '../../languages/texts.ts'

/** Lets only known choices through. */
const mailChoice = Type.Optional(enumeration('enabled', 'onmention', 'andyourown', 'disabled'))

/** Shows colours, language and the style of diffs. */
export const appearancePage = page({
  path: '/user/settings/appearance',
  twin: 'getUserSettings',
  cost: 'usual',
  requires: [inSession],
  frame: inSettings('appearance'),
  load: async ({ ctx }) => ({ user: ctx.viewer.user }),
  meta: () => settingsMeta('appearance'),
  view: AppearanceView,
})

export const appearanceSubmit = act({
  path: '/user/settings/appearance',
  edits: true,
  twin: 'updateUserSettings',
  cost: 'usual',
  requires: [],
  ...appearanceForm.act,
  again: appearancePage,
  async run({ ctx, body, call }) {
    await editSettings(ctx, ctx.viewer.user, appearanceForm.read(body))
    // The next page is in the chosen language, and so is what it says.
    readIn(languageFor(call, ctx.config, body.language))
    return { to: settingsPath('appearance'), notice: texts.saved }
  },
})

/** Shows which mails the person gets. */
export const notificationSettingsPage = page({
  path: '/user/settings/notifications',
  twin: 'getUserSettings',
  cost: 'usual',
  requires: [inSession],
  frame: inSettings('notifications'),
  load: async ({ ctx }) => ({ user: ctx.viewer.user, sendsMail: ctx.mailer.isEnabled }),
  meta: () => settingsMeta('notifications'),
  view: NotificationSettingsView,
})

export const notificationSettingsSubmit = act({
  path: '/user/settings/notifications',
  edits: true,
  twin: 'updateUserSettings',
  cost: 'usual',
  requires: [],
  fields: { email_notifications: mailChoice },
  again: notificationSettingsPage,
  async run({ ctx, body }) {
    await editSettings(ctx, ctx.viewer.user, { email_notifications: body.email_notifications })
    return { to: settingsPath('notifications'), notice: texts.saved }
  },
})
