import { Type } from 'typebox'
import { canUsePasskeys, passkeysOf, removePasskey } from '../../../auth/passkey.service.ts'
import { disableCodes, hasCodes, hasTwoFactor, renewScratch } from '../../../auth/two-factor.service.ts'
import type { PasskeyId } from '../../../lib/ids.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { onceShown, takeShownOnce } from '../../shell/shown-once.ts'
import { confirmPassword } from '../confirm-password.tsx'
import { SecurityView } from './security.view.tsx'
import { inSettings, settingsMeta, settingsPath, type PersonCtx } from '../settings-frame.tsx'
import { settingsTexts as texts } from '../../languages/texts.ts'

const text = Type.Optional(Type.String({ maxLength: 16_384 }))
const path = settingsPath('security')

/** Returns the cookie by which the page shows a new scratch code once. */
export const scratchShown = (ctx: PersonCtx, scratch: string): string =>
  onceShown(ctx, { kind: 'scratch', name: '', secret: scratch })

/** Shows codes, passkeys and the scratch code of the account. */
export const securitySettingsPage = page({
  path: '/user/settings/security',
  twin: null,
  cost: 'usual',
  requires: [inSession],
  isSecret: true,
  frame: inSettings('security'),
  async load({ ctx, call }) {
    const { id } = ctx.viewer
    const [isEnrolled, hasApp, passkeys] = await Promise.all([
      hasTwoFactor(ctx, id),
      hasCodes(ctx, id),
      passkeysOf(ctx, id),
    ])
    const scratch = takeShownOnce(ctx, call, ['scratch'])?.secret
    return { isEnrolled, hasApp, passkeys, scratch, offersPasskeys: canUsePasskeys(ctx.config) }
  },
  meta: () => settingsMeta('security'),
  view: SecurityView,
})

export const disableTwoFactorSubmit = act({
  path: '/user/settings/security/two_factor/disable',
  twin: null,
  cost: 'usual',
  recentSignIn: 'password',
  requires: [],
  fields: { password: text },
  again: securitySettingsPage,
  async run({ ctx, body, call }) {
    await confirmPassword(ctx, call, body.password)
    await disableCodes(ctx, ctx.viewer.id)
    return { to: path, notice: texts.security.turnedOff }
  },
})

export const regenerateScratchSubmit = act({
  path: '/user/settings/security/two_factor/regenerate_scratch',
  twin: null,
  cost: 'usual',
  recentSignIn: 'password',
  requires: [],
  fields: { password: text },
  again: securitySettingsPage,
  async run({ ctx, body, call }) {
    await confirmPassword(ctx, call, body.password)
    return { to: path, cookies: [scratchShown(ctx, await renewScratch(ctx, ctx.viewer.user))] }
  },
})

export const removePasskeySubmit = act({
  path: '/user/settings/security/passkeys/remove',
  twin: null,
  cost: 'usual',
  recentSignIn: 'password',
  requires: [],
  fields: { id: Type.Optional(Type.Integer()), password: text },
  again: securitySettingsPage,
  async run({ ctx, body, call }) {
    await confirmPassword(ctx, call, body.password)
    await removePasskey(ctx, ctx.viewer.id, (body.id ?? 0) as PasskeyId)
    return { to: path, notice: texts.passkeys.removed }
  },
})
