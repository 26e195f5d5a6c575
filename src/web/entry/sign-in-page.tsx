import { askForSignIn, canUsePasskeys } from '../../auth/passkey.service.ts'
import type { Config } from '../../config/load-config.ts'
import { offeredProviders } from '../../sources/openid/openid.service.ts'
import { mayRegister } from '../../users/entry/registration.rules.ts'
import type { BrowserCtx } from '../shell/browser-context.ts'
import { Field, Form, type Problem } from '../shell/plain-form.tsx'
import { page, sitePath } from '../shell/plain-page.tsx'
import { PasskeyForm, passkeyScript } from '../shell/passkey-form.tsx'
import { policyLeadingTo } from './sign-in-target.ts'
import { texts as shared } from '../shell/plain-texts.tsx'
import { texts } from './texts.tsx'

interface SignInParts {
  readonly redirectTo?: string | undefined
  readonly login?: string | undefined
  /** Why the form is shown again. */
  readonly problem?: Problem | undefined
  /** What happened before, by its key in the address. */
  readonly done?: string | undefined
}

/** Returns whether pages link to the sign-up form. */
export const offersSignUp = (config: Config): boolean =>
  config.service.showRegistrationButton && mayRegister(config).allowed

/** Shows the sign-in form, which works without scripts, with screen readers and with password managers. */
export async function signInPageOf(ctx: BrowserCtx, { redirectTo, login, problem, done }: SignInParts) {
  const { config } = ctx
  const doneText = done !== undefined && Object.hasOwn(texts.signIn.done, done) ? texts.signIn.done[done] : undefined
  const asked = canUsePasskeys(config) ? askForSignIn(ctx) : undefined
  const providers = await offeredProviders(ctx)
  const query = redirectTo === undefined ? '' : `?redirect_to=${encodeURIComponent(redirectTo)}`
  const content = (
    <main class="card">
      <h1>{texts.signIn.heading(config.instance.appName)}</h1>
      {doneText === undefined ? null : (
        <p class="done" role="status">
          {doneText}
        </p>
      )}
      {config.service.enableInternalSignin ? (
        <Form ctx={ctx} to="user/login" hidden={{ redirect_to: redirectTo }} problem={problem}>
          <Field
            name="user_name"
            label={texts.signIn.nameOrAddress}
            value={login ?? ''}
            autocomplete="username"
            autofocus
          />
          <Field name="password" label={shared.password} type="password" autocomplete="current-password" />
          <label class="choice">
            <input type="checkbox" name="remember" /> {texts.signIn.remember(config.security.loginRememberDays)}
          </label>
          <button type="submit">{shared.signIn}</button>
        </Form>
      ) : (
        <p>{texts.signIn.passwordsOff}</p>
      )}
      {providers.map((name) => (
        <p>
          <a class="button" href={sitePath(config, `user/oauth2/${name}${query}`)}>
            {texts.signIn.withProvider(name)}
          </a>
        </p>
      ))}
      {asked ? (
        <PasskeyForm
          ctx={ctx}
          to="user/passkey"
          asked={asked}
          label={texts.signIn.withPasskey}
          hidden={{ redirect_to: redirectTo }}
          problem={config.service.enableInternalSignin ? undefined : problem}
          remembers={config.service.enableInternalSignin}
          isSecond={config.service.enableInternalSignin}
        />
      ) : null}
      {ctx.mailer.isEnabled && config.service.enableInternalSignin ? (
        <p>
          <a href={sitePath(config, 'user/forgot_password')}>{texts.signIn.forgotPassword}</a>
        </p>
      ) : null}
      {offersSignUp(config) ? (
        <p>
          {texts.signIn.noAccount} <a href={sitePath(config, 'user/sign_up')}>{shared.signUp}</a>
        </p>
      ) : null}
    </main>
  )
  const parts = { title: shared.signIn, problem, content, scripts: asked ? [passkeyScript] : [] }
  return page(config, parts, { headers: await policyLeadingTo(ctx, redirectTo) })
}
