import { Type } from 'typebox'
import { viewerOfPassword } from '../../auth/identify.ts'
import { accountOfPasskey, askForSecond } from '../../auth/passkey.service.ts'
import { confirmSession, isRecentSignIn } from '../../auth/session.service.ts'
import type { Call } from '../../http/operation.ts'
import type { StreamReply } from '../../http/reply.ts'
import { nowUnix } from '../../lib/time.ts'
import { confirmationsOf } from '../../sources/confirmation.service.ts'
import { Submit } from '../ui/button.tsx'
import { Link } from '../ui/link.tsx'
import { csrfName, type Problem } from '../ui/page-context.ts'
import { Flash } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { attempt, refusedForm } from './attempt.ts'
import type { BrowserCtx } from './browser-context.ts'
import { CardForm, sendCard } from './card-page.tsx'
import { unkept } from './page-headers.ts'
import { PasskeyForm, passkeyScript } from './passkey-form.tsx'
import { CurrentPasswordField, KnownUser } from './password-field.tsx'
import type { SignedInCtx } from '../../access/context.ts'
import { shellTexts } from '../languages/texts.ts'

const texts = shellTexts.confirmation
const text = Type.Optional(Type.String({ maxLength: 20_000 }))

/** Fields by which a form carries the confirmation. The names of the passkey's are those of `PasskeyForm`. */
export const confirmationFields = { confirm_password: text, challenge: text, response: text } as const

/** A decoded form. */
export type Sent = Readonly<Record<string, unknown>>

type PersonCtx = BrowserCtx & SignedInCtx

/** Returns whether the person entered credentials a short time ago, or a trusted proxy authenticated this request. */
export const hasRecentSignIn = (ctx: PersonCtx): boolean =>
  ctx.viewer.credential.kind === 'proxy' || isRecentSignIn(ctx, ctx.signedInUnix)

/**
 * Returns the context of a person who signed in a short time ago, or whose form carries a right confirmation: that counts
 * as a sign-in of the session. Otherwise returns a page that asks for the password, a passkey or a sign-in at the account's
 * provider. It contains what was sent, so that nobody types it twice.
 * @param need `password`: the form asks an account with a password for it, so only others need the sign-in
 * @param headers of that page
 */
export async function recentSignInFor<Ctx extends PersonCtx>(
  need: true | 'password' | undefined,
  ctx: Ctx,
  call: Call,
  sent: Sent,
  headers: Readonly<Record<string, string>> = unkept,
): Promise<{ readonly ctx: Ctx } | { readonly confirmation: StreamReply<403> }> {
  const asksItself = need === 'password' && ctx.viewer.user.password_hash !== null
  if (need === undefined || asksItself || hasRecentSignIn(ctx)) return { ctx }
  const { isConfirmed, problem } = await confirmedBy(ctx, call, sent)
  if (!isConfirmed) return { confirmation: await confirmationPage(ctx, call, sent, { problem, headers }) }
  if (ctx.sessionId !== undefined) await confirmSession(ctx, ctx.viewer.id, ctx.sessionId)
  return { ctx: { ...ctx, signedInUnix: nowUnix(ctx.clock) } }
}

async function confirmedBy(ctx: PersonCtx, call: Call, sent: Sent) {
  const { user } = ctx.viewer
  const { confirm_password: password, challenge, response } = sent
  if (typeof challenge === 'string' && typeof response === 'string') {
    const owner = await accountOfPasskey(ctx, { challenge, response }, user.id)
    return { isConfirmed: owner !== undefined, problem: { message: texts.wrongPasskey } }
  }
  if (typeof password !== 'string') return { isConfirmed: false, problem: undefined }
  const input = { login: user.name, password, ip: call.ip, caller: call }
  const { result, problem } = await attempt(viewerOfPassword(ctx, input))
  const wrong = { field: 'confirm_password', message: texts.wrongPassword }
  return { isConfirmed: result?.id === user.id, problem: problem ?? wrong }
}

/** Returns what was sent as hidden fields, without the confirmation and the value against forged requests. */
const keptOf = (sent: Sent): readonly (readonly [string, string])[] =>
  Object.entries(sent).flatMap(([name, value]) =>
    name === csrfName || Object.hasOwn(confirmationFields, name)
      ? []
      : (Array.isArray(value) ? value : [value]).map((each) => [name, formText(each)] as const),
  )

/** Returns a decoded value as a form sends it. */
const formText = (value: unknown): string => (value === true ? 'on' : String(value))

const Kept = ({ sent }: { readonly sent: Sent }) => (
  <>
    {keptOf(sent).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
)

async function confirmationPage(
  ctx: PersonCtx,
  call: Call,
  sent: Sent,
  { problem, headers }: { readonly problem: Problem | undefined; readonly headers: Readonly<Record<string, string>> },
): Promise<StreamReply<403>> {
  const { user } = ctx.viewer
  const to = call.url.split('?', 1)[0] ?? ''
  const [{ hasPassword, providers }, passkeyRequest] = await Promise.all([
    confirmationsOf(ctx, user),
    askForSecond(ctx, user.id),
  ])
  const isPossible = hasPassword || passkeyRequest !== undefined || providers.length > 0
  const content = (
    <>
      {isPossible ? <p>{texts.lead}</p> : <Flash tone="problem">{texts.impossible}</Flash>}
      {hasPassword ? (
        <CardForm to={to}>
          <Kept sent={sent} />
          <KnownUser name={user.name} field="confirm_name" />
          <CurrentPasswordField name="confirm_password" label={texts.password} autofocus />
          <Submit class="whole">{texts.confirm}</Submit>
        </CardForm>
      ) : null}
      {passkeyRequest ? (
        <PasskeyForm to={to} passkeyRequest={passkeyRequest} label={texts.withPasskey} isSecond={hasPassword}>
          <Kept sent={sent} />
        </PasskeyForm>
      ) : null}
      {!hasPassword && providers.length > 0 ? (
        <CardForm to={to}>
          <Kept sent={sent} />
          <p>{texts.providersLead}</p>
          {providers.map((name) => (
            <p>
              <Link
                to={`${pathOf('user', 'oauth2', name)}?redirect_to=/user/confirmed`}
                target="_blank"
                data-turbo="false"
              >
                {texts.atProvider(name)}
              </Link>
            </p>
          ))}
          <Submit class="whole">{shellTexts.goOn}</Submit>
        </CardForm>
      ) : null}
    </>
  )
  return sendCard(ctx, call, {
    title: texts.title,
    status: 403,
    scripts: passkeyRequest ? [passkeyScript] : undefined,
    headers,
    refused: refusedForm(to, problem),
    content,
  })
}
