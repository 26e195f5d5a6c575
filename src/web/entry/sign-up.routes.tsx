import { Type } from 'typebox'
import { beginSession } from '../../auth/session.service.ts'
import { bytesOf, operation, validBody, type Call } from '../../http/operation.ts'
import { redirect } from '../../http/reply.ts'
import { requestObject } from '../../http/schema.ts'
import { must } from '../../lib/verdict.ts'
import { newChallenge } from '../../users/entry/proof-of-work.service.ts'
import { mayRegister } from '../../users/entry/registration.rules.ts'
import { askForSignUpAgain, confirmSignUp, readSignUp, signUp } from '../../users/entry/sign-up.service.ts'
import { browserLanguage, browserOf } from '../shell/browser-of.ts'
import type { BrowserCtx } from '../shell/browser-context.ts'
import { inBrowser, ownForm } from '../shell/browser.requirements.ts'
import { attempt, refusedForm } from '../shell/attempt.ts'
import { CardForm, sendCard } from '../shell/card-page.tsx'
import { unkept } from '../shell/page-headers.ts'
import { NewPasswordField } from '../shell/password-field.tsx'
import { shellTexts as shell } from '../languages/texts.ts'
import { Submit } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Link } from '../ui/link.tsx'
import type { Problem } from '../ui/page-context.ts'
import { siteHref } from '../ui/paths.ts'
import { localTarget, policyLeadingTo, withTarget } from './sign-in-target.ts'
import { signInCookies } from '../shell/cookies.ts'
import { pageErrors } from '../../http/error-forms.ts'
import { entryTexts as texts } from '../languages/texts.ts'

const text = Type.Optional(Type.String({ maxLength: 4096 }))
const SignUpForm = requestObject('SignUpForm', {
  _csrf: text,
  user_name: text,
  email: text,
  password: text,
  challenge: text,
  nonce: text,
  redirect_to: Type.Optional(Type.String({ maxLength: 16_384 })),
})
const AskAgainForm = requestObject('AskForSignUpAgainForm', { _csrf: text, email: text })
const ConfirmForm = requestObject('ConfirmSignUpForm', { _csrf: text, code: text, user_name: text })

const pages = { base: 'site', scope: null, accepts: ['session'], errors: pageErrors } as const

const fields = { name: 'user_name', email: 'email', password: 'password' }

const NameField = ({ value }: { readonly value: string }) => (
  <Field
    name="user_name"
    label={shell.name}
    hint={texts.signUp.nameHint}
    autocomplete="username"
    maxlength={40}
    required
    autofocus
    value={value}
  />
)

async function signUpPageOf(
  ctx: BrowserCtx,
  call: Call,
  form: { name?: string; email?: string; problem?: Problem | undefined; redirectTo?: string | undefined } = {},
) {
  const { config } = ctx
  const { redirectTo } = form
  must(mayRegister(config))
  const challenge = newChallenge(ctx)
  const content = (
    <>
      <CardForm
        to="/user/sign_up"
        hidden={{ ...(challenge ? { challenge: challenge.text, nonce: '' } : {}), redirect_to: redirectTo }}
        data-work={challenge?.bits}
      >
        <NameField value={form.name ?? ''} />
        <Field
          name="email"
          label={shell.emailAddress}
          type="email"
          value={form.email ?? ''}
          autocomplete="email"
          maxlength={254}
          required
        />
        <NewPasswordField label={shell.password.password} />
        <Submit class="whole">{shell.signUp}</Submit>
        {challenge ? (
          <p class="hint" role="status" data-working hidden>
            {texts.signUp.working}
          </p>
        ) : null}
      </CardForm>
      <p>
        {texts.signUp.haveAccount} <Link to={withTarget('/user/login', redirectTo)}>{shell.signIn}</Link>
      </p>
    </>
  )
  return sendCard(ctx, call, {
    title: shell.signUp,
    heading: texts.signUp.heading(config.instance.appName),
    refused: refusedForm('/user/sign_up', form.problem, { user_name: form.name, email: form.email }),
    scripts: challenge ? ['/assets/sign-up.js'] : undefined,
    headers: await policyLeadingTo(ctx, redirectTo),
    content,
  })
}

/** Shows the sign-up form. */
export const signUpPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/sign_up',
  cost: 'usual',
  requires: [inBrowser],
  query: { redirect_to: Type.Optional(Type.String()) },
  reply: { 200: bytesOf('text/html') },
  run: async ({ ctx, call, query }) => signUpPageOf(ctx, call, { redirectTo: query.redirect_to }),
})

/** Signs up; errors show the form again with its values except the password. */
export const signUpSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/sign_up',
  cost: 'usual',
  requires: [inBrowser, validBody, ownForm],
  body: SignUpForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body, call }) {
    const typed = { name: (body.user_name ?? '').trim(), email: (body.email ?? '').trim() }
    const { password = '', challenge = '', nonce = '' } = body
    const language = browserLanguage(ctx.config, call)
    const signingUp = signUp(ctx, { ...typed, password, challenge, nonce, ip: call.ip, language })
    const { result: made, problem } = await attempt(signingUp, fields)
    if (problem) return signUpPageOf(ctx, call, { ...typed, problem, redirectTo: body.redirect_to })
    if (!made) return redirect(303, siteHref(ctx.config, '/user/activate'))
    if (!made.is_active) return redirect(303, siteHref(ctx.config, '/user/login?done=waiting'))
    const session = await beginSession(ctx, made, browserOf(ctx.config, call), { remember: false })
    call.cookies.push(...signInCookies(ctx.config, session))
    return redirect(303, localTarget(ctx.config, body.redirect_to))
  },
})

function askAgainPageOf(
  ctx: BrowserCtx,
  call: Call,
  form: { email?: string; problem?: Problem | undefined; again?: boolean } = {},
) {
  const content = (
    <>
      <p role="status">
        {texts.checkMail.signUp({
          isSentAgain: form.again === true,
          minutes: ctx.config.service.activeCodeLiveMinutes,
        })}
      </p>
      <h2>{texts.checkMail.nothingCame}</h2>
      <p>{texts.checkMail.sendAgainHint}</p>
      <CardForm to="/user/activate/again">
        <Field
          name="email"
          label={shell.emailAddress}
          type="email"
          value={form.email ?? ''}
          autocomplete="email"
          maxlength={254}
          required
        />
        <Submit kind="plain" class="whole">
          {texts.checkMail.sendAgain}
        </Submit>
      </CardForm>
    </>
  )
  const refused = refusedForm('/user/activate/again', form.problem, { email: form.email })
  return sendCard(ctx, call, { title: texts.checkMail.title, refused, content })
}

function confirmPageOf(
  ctx: BrowserCtx,
  call: Call,
  { code, name, email, problem }: { code: string; name: string; email: string; problem?: Problem | undefined },
) {
  const content = (
    <>
      <p>{texts.confirm.withAddress(email, problem ? undefined : name)}</p>
      <CardForm to="/user/activate" hidden={problem ? { code } : { code, user_name: name }}>
        {problem ? <NameField value={name} /> : null}
        <Submit class="whole">{texts.confirm.create}</Submit>
      </CardForm>
    </>
  )
  const refused = refusedForm('/user/activate', problem, { user_name: name })
  return sendCard(ctx, call, { title: texts.confirm.title, refused, headers: unkept, content })
}

/**
 * Target of the mailed link; without a code, explains what to do until the mail arrives. Opening it creates no account,
 * because mail programs open links.
 */
export const activatePage = operation({
  ...pages,
  method: 'GET',
  path: '/user/activate',
  cost: 'usual',
  requires: [inBrowser],
  query: { code: Type.Optional(Type.String()) },
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, query: { code }, call }) {
    must(mayRegister(ctx.config))
    return code === undefined
      ? askAgainPageOf(ctx, call)
      : confirmPageOf(ctx, call, { code, ...(await readSignUp(ctx, code)) })
  },
})

/**
 * Creates the account without signing in; a link of somebody else would otherwise sign a person in to a foreign
 * account.
 */
export const activateSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/activate',
  cost: 'usual',
  requires: [inBrowser, validBody, ownForm],
  body: ConfirmForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body, call }) {
    must(mayRegister(ctx.config))
    const { code = '' } = body
    const name = (body.user_name ?? '').trim()
    const { result: made, problem } = await attempt(confirmSignUp(ctx, code, name), { name: 'user_name' })
    // An invalid link is reported as such, not as a problem of the form.
    if (problem) return confirmPageOf(ctx, call, { code, ...(await readSignUp(ctx, code)), name, problem })
    return redirect(303, siteHref(ctx.config, `/user/login?done=${made.is_active ? 'confirmed' : 'waiting'}`))
  },
})

/** Sends the mail again; the reply is the same for every address. */
export const activateAgainSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/activate/again',
  cost: 'usual',
  requires: [inBrowser, validBody, ownForm],
  body: AskAgainForm,
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, body, call }) {
    const email = (body.email ?? '').trim()
    const input = { email, ip: call.ip, language: browserLanguage(ctx.config, call) }
    const { problem } = await attempt(askForSignUpAgain(ctx, input), fields)
    return askAgainPageOf(ctx, call, { email, problem, again: problem === undefined })
  },
})
