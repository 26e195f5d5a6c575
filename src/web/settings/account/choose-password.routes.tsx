import { beginSession } from '../../../auth/session.service.ts'
import { pageErrors } from '../../../http/error-forms.ts'
import { bytesOf, operation, validBody, type Call } from '../../../http/operation.ts'
import { redirect } from '../../../http/reply.ts'
import { requestObject } from '../../../http/schema.ts'
import { chooseFirstPassword } from '../../../users/credentials/password.service.ts'
import { attempt, refusedForm } from '../../shell/attempt.ts'
import { browserOf } from '../../shell/browser-of.ts'
import { inBrowser, inSession, ownForm } from '../../shell/browser.requirements.ts'
import { CardForm, sendCard } from '../../shell/card-page.tsx'
import { unkept } from '../../shell/page-headers.ts'
import { signInCookies } from '../../shell/cookies.ts'
import { KnownUser, NewPasswordField } from '../../shell/password-field.tsx'
import { shellTexts as shell } from '../../languages/texts.ts'
import { Submit } from '../../ui/button.tsx'
import type { Problem } from '../../ui/page-context.ts'
import { siteHref } from '../../ui/paths.ts'
import { settingsPath, type PersonCtx } from '../settings-frame.tsx'
import { settingsTexts as texts } from '../../languages/texts.ts'
import { textUpTo } from '../../ui/fields.ts'

const text = textUpTo(4096)
const pages = { base: 'site', scope: null, accepts: ['session'], errors: pageErrors } as const
const path = '/user/settings/change_password'

const choosePageOf = (ctx: PersonCtx, call: Call, problem?: Problem) =>
  sendCard(ctx, call, {
    title: texts.account.chooseTitle,
    headers: unkept,
    refused: refusedForm(path, problem),
    content: (
      <>
        <p>{texts.account.chooseHint}</p>
        <CardForm to={path}>
          <KnownUser name={ctx.viewer.user.name} />
          <NewPasswordField autofocus />
          <Submit class="whole">{shell.password.set}</Submit>
        </CardForm>
        <CardForm to="/user/logout">
          <Submit kind="plain" class="whole">
            {shell.signOut}
          </Submit>
        </CardForm>
      </>
    ),
  })

/** Each page redirects here while the account must change its password. */
export const choosePasswordPage = operation({
  ...pages,
  method: 'GET',
  path,
  cost: 'usual',
  requires: [inBrowser, inSession],
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, call }) {
    if (!ctx.viewer.user.must_change_password) return redirect(303, siteHref(ctx.config, settingsPath('account')))
    return choosePageOf(ctx, call)
  },
})

export const choosePasswordSubmit = operation({
  ...pages,
  method: 'POST',
  path,
  cost: 'usual',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: requestObject('ChoosePasswordForm', { _csrf: text, password: text }),
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body, call }) {
    const { user } = ctx.viewer
    // Other accounts must give their current password.
    if (!user.must_change_password) return redirect(303, siteHref(ctx.config, settingsPath('account')))
    const choice = chooseFirstPassword(ctx, user, body.password ?? '')
    const { result: chosen, problem } = await attempt(choice, { password: 'password' })
    if (problem) return choosePageOf(ctx, call, problem)
    const session = await beginSession(ctx, chosen, browserOf(ctx.config, call), { remember: false })
    call.cookies.push(...signInCookies(ctx.config, session))
    return redirect(303, siteHref(ctx.config, '/'))
  },
})
