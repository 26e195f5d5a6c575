import { Type } from 'typebox'
import { enumeration } from '../../../http/schema.ts'
import { editSettings } from '../../../users/settings/settings.service.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { languageFor } from '../../shell/language-for.ts'
import { act, page } from '../../shell/page.tsx'
import { AppearanceView, NotificationSettingsView } from './preferences.view.tsx'
import { inSettings, settingsMeta, settingsPath } from '../settings-frame.tsx'
import { languageChoices } from '../../languages/languages.ts'
import { readIn } from '../../languages/reader.ts'
import { settingsTexts as texts } from '../../languages/texts.ts'
import { textUpTo } from '../../ui/fields.ts'

const text = textUpTo(255)

/** Lets only known choices through. */
const mailChoice = Type.Optional(enumeration('enabled', 'onmention', 'andyourown', 'disabled'))

/** Shows colours, language and the style of diffs. */
export const appearancePage = page({
  path: '/user/settings/appearance',
  twin: 'getUserSettings',
  cost: 'usual',
  requires: [inSession],
  frame: inSettings('appearance'),
  async load({ ctx }) {
    return { user: ctx.viewer.user, languages: languageChoices(ctx.config.i18n) }
  },
  meta: () => settingsMeta('appearance'),
  view: AppearanceView,
})

export const appearanceSubmit = act({
  path: '/user/settings/appearance',
  edits: true,
  twin: 'updateUserSettings',
  cost: 'usual',
  requires: [],
  fields: { theme: text, language: text, diff_view_style: text, enable_repo_unit_hints: text },
  again: appearancePage,
  async run({ ctx, body, call }) {
    await editSettings(ctx, ctx.viewer.user, {
      theme: body.theme,
      language: body.language,
      diff_view_style: body.diff_view_style,
      enable_repo_unit_hints: body.enable_repo_unit_hints !== undefined,
    })
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
