import { askForSignIn, canUsePasskeys } from '../../auth/passkey.service.ts'
import type { Config } from '../../config/load-config.ts'
import { offeredProviders } from '../../sources/openid/openid.service.ts'
import { mayRegister } from '../../users/entry/registration.rules.ts'
import type { BrowserCtx } from '../shell/browser.requirements.ts'
import { Field, Form, type Problem } from '../shell/form.tsx'
import { page, sitePath } from '../shell/page.tsx'
import { PasskeyForm, passkeyScript } from '../shell/passkey-form.tsx'
import { policyLeadingTo } from './sign-in-target.ts'

interface SignInParts {
  readonly redirectTo?: string | undefined
  readonly login?: string | undefined
  /** Why the form is shown again. */
  readonly problem?: Problem | undefined
  /** What has just been done, by its word in the address. */
  readonly done?: string | undefined
}

/** What was done before somebody came here to sign in. */
const doneTexts: Readonly<Record<string, string>> = {
  confirmed: 'Your account is ready. Sign in to it.',
  password: 'The password is changed. Sign in with it.',
  address: 'The address is confirmed.',
  waiting: 'Your account was created. You can sign in once an administrator has approved it.',
}

/** Whether pages lead to the form to sign up. */
export const offersSignUp = (config: Config): boolean =>
  config.service.showRegistrationButton && mayRegister(config).allowed

/** The sign-in form. It works without scripts, names what went wrong to screen readers, and lets password managers in. */
export async function signInPageOf(ctx: BrowserCtx, { redirectTo, login, problem, done }: SignInParts) {
  const { config } = ctx
  const doneText = done !== undefined && Object.hasOwn(doneTexts, done) ? doneTexts[done] : undefined
  const asked = canUsePasskeys(config) ? askForSignIn(ctx) : undefined
  const providers = await offeredProviders(ctx)
  const query = redirectTo === undefined ? '' : `?redirect_to=${encodeURIComponent(redirectTo)}`
  const content = (
    <main class="card">
      <h1>Sign in to {config.instance.appName}</h1>
      {doneText === undefined ? null : (
        <p class="done" role="status">
          {doneText}
        </p>
      )}
      {config.service.enableInternalSignin ? (
        <Form ctx={ctx} to="user/login" hidden={{ redirect_to: redirectTo }} problem={problem}>
          <Field name="user_name" label="Name or mail address" value={login ?? ''} autocomplete="username" autofocus />
          <Field name="password" label="Password" type="password" autocomplete="current-password" />
          <label class="choice">
            <input type="checkbox" name="remember" /> Stay signed in for {config.security.loginRememberDays} days
          </label>
          <button type="submit">Sign in</button>
        </Form>
      ) : (
        <p>Passwords do not sign in here.</p>
      )}
      {providers.map((name) => (
        <p>
          <a class="button" href={sitePath(config, `user/oauth2/${name}${query}`)}>
            Sign in with {name}
          </a>
        </p>
      ))}
      {asked ? (
        <PasskeyForm
          ctx={ctx}
          to="user/passkey"
          asked={asked}
          label="Sign in with a passkey"
          hidden={{ redirect_to: redirectTo }}
          problem={config.service.enableInternalSignin ? undefined : problem}
          remembers={config.service.enableInternalSignin}
          isSecond={config.service.enableInternalSignin}
        />
      ) : null}
      {ctx.mailer.isEnabled && config.service.enableInternalSignin ? (
        <p>
          <a href={sitePath(config, 'user/forgot_password')}>Forgot the password?</a>
        </p>
      ) : null}
      {offersSignUp(config) ? (
        <p>
          No account yet? <a href={sitePath(config, 'user/sign_up')}>Sign up</a>
        </p>
      ) : null}
    </main>
  )
  const parts = { title: 'Sign in', problem, content, scripts: asked ? [passkeyScript] : [] }
  return page(config, parts, { headers: await policyLeadingTo(ctx, redirectTo) })
}
