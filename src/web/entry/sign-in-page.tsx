import { askForSignIn, canUsePasskeys } from '../../auth/passkey.service.ts'
import { offeredProviders } from '../../sources/openid/openid.service.ts'
import { offersSignUp } from '../../users/entry/registration.rules.ts'
import type { BrowserCtx } from '../shell/browser-context.ts'
import type { Call } from '../../http/operation.ts'
import { refusedForm } from '../shell/attempt.ts'
import { CardForm, sendCard } from '../shell/card-page.tsx'
import { CurrentPasswordField } from '../shell/password-field.tsx'
import { shellTexts as shell } from '../languages/texts.ts'
import { Submit } from '../ui/button.tsx'
import { Checkbox, Field } from '../ui/field.tsx'
import { ButtonLink, Link } from '../ui/link.tsx'
import type { Problem } from '../ui/page-context.ts'
import { Flash } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { PasskeyForm, passkeyScript } from '../shell/passkey-form.tsx'
import { policyLeadingTo, withTarget } from './sign-in-target.ts'
import { entryTexts as texts } from '../languages/texts.ts'

interface SignInParts {
  readonly redirectTo?: string | undefined
  readonly login?: string | undefined
  readonly remember?: boolean
  /** Why the form is shown again. */
  readonly problem?: Problem | undefined
  /** What happened before, by its key in the address. */
  readonly done?: string | undefined
}

/** Shows the sign-in form, which works without scripts, with screen readers and with password managers. */
export async function signInPageOf(
  ctx: BrowserCtx,
  call: Call,
  { redirectTo, login, remember, problem, done }: SignInParts,
) {
  const { config } = ctx
  const doneText = done !== undefined && Object.hasOwn(texts.signIn.done, done) ? texts.signIn.done[done] : undefined
  const passkeyRequest = canUsePasskeys(config) ? askForSignIn(ctx) : undefined
  const providers = await offeredProviders(ctx)
  const isNameKnown = login !== undefined && login !== ''
  const query = redirectTo === undefined ? '' : `?redirect_to=${encodeURIComponent(redirectTo)}`
  const content = (
    <>
      {doneText === undefined ? null : <Flash tone="done">{doneText}</Flash>}
      {config.service.enableInternalSignin ? (
        <CardForm to="/user/login" hidden={{ redirect_to: redirectTo }}>
          <Field
            name="user_name"
            label={texts.signIn.nameOrAddress}
            value={login ?? ''}
            autocomplete="username"
            required
            autofocus={!isNameKnown}
          />
          <CurrentPasswordField autofocus={isNameKnown} />
          <Checkbox name="remember" label={texts.signIn.remember(config.security.loginRememberDays)} />
          <Submit class="whole">{shell.signIn}</Submit>
        </CardForm>
      ) : (
        <p>{texts.signIn.passwordsOff}</p>
      )}
      {providers.map((name) => (
        <ButtonLink to={`${pathOf('user', 'oauth2', name)}${query}`} class="whole" data-turbo="false">
          {texts.signIn.withProvider(name)}
        </ButtonLink>
      ))}
      {passkeyRequest ? (
        <PasskeyForm
          to="/user/passkey"
          passkeyRequest={passkeyRequest}
          label={texts.signIn.withPasskey}
          hidden={{ redirect_to: redirectTo }}
          remembers={config.service.enableInternalSignin}
          isSecond={config.service.enableInternalSignin}
        />
      ) : null}
      {ctx.mailer.isEnabled && config.service.enableInternalSignin ? (
        <p>
          <Link to="/user/forgot_password">{texts.signIn.forgotPassword}</Link>
        </p>
      ) : null}
      {offersSignUp(config) ? (
        <p>
          {texts.signIn.noAccount} <Link to={withTarget('/user/sign_up', redirectTo)}>{shell.signUp}</Link>
        </p>
      ) : null}
    </>
  )
  return sendCard(ctx, call, {
    title: shell.signIn,
    heading: texts.signIn.heading(config.instance.appName),
    refused: refusedForm(config.service.enableInternalSignin ? '/user/login' : '/user/passkey', problem, {
      user_name: login,
      remember,
    }),
    scripts: passkeyRequest ? [passkeyScript] : undefined,
    headers: await policyLeadingTo(ctx, redirectTo),
    content,
  })
}
