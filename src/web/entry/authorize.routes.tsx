import { Type } from 'typebox'
import type { Viewer } from '../../auth/viewer.ts'
import { bytesOf, operation, validBody, type Call } from '../../http/operation.ts'
import { empty, redirect } from '../../http/reply.ts'
import { requestObject } from '../../http/schema.ts'
import {
  answerAuthorization,
  openAuthorization,
  targetOfRequest,
  type SignedInPerson,
  type Authorization,
} from '../../oauth/authorize/authorize.service.ts'
import type { AuthorizationRequest } from '../../oauth/authorize/authorize-request.rules.ts'
import { oauthOn } from '../../oauth/oauth.requirements.ts'
import { formTargetOf } from '../../oauth/applications/redirect.rules.ts'
import { AnswerButtons, RequestedScope } from './requested-scope.tsx'
import type { BrowserCtx } from '../shell/browser-context.ts'
import { inBrowser, ownForm } from '../shell/browser.requirements.ts'
import { CardForm, sendCard } from '../shell/card-page.tsx'
import { policyWith, unkept } from '../shell/page-headers.ts'
import { confirmationFields, recentSignInFor } from '../shell/recent-sign-in.tsx'
import { siteHref } from '../ui/paths.ts'
import { pageErrors } from '../../http/error-forms.ts'
import { entryTexts as texts } from '../languages/texts.ts'

const text = Type.Optional(Type.String())

/** Parameters by their protocol names; the consent page sends them back unchanged. */
const parameters = {
  client_id: text,
  redirect_uri: text,
  response_type: text,
  response_mode: text,
  state: text,
  scope: text,
  nonce: text,
  code_challenge: text,
  code_challenge_method: text,
  prompt: text,
  max_age: text,
  id_token_hint: text,
  request: text,
  request_uri: text,
  registration: text,
  /** An addition: the state after a required new sign-in. */
  again: text,
}

const GrantForm = requestObject('OAuth2GrantForm', {
  _csrf: text,
  granted: text,
  /** The scope that the page showed. */
  agreed_scope: text,
  ...parameters,
  ...confirmationFields,
})

const names = Object.keys(parameters) as readonly (keyof typeof parameters)[]

/** Returns only the parameters; a form has more members. */
const asSent = (sent: Sent): Sent => Object.fromEntries(names.map((name) => [name, sent[name]]))

type Sent = { readonly [Name in keyof typeof parameters]?: string | undefined }

/** @param repeated names of repeated parameters, which are invalid (RFC 6749, 3.1) */
const requestOf = (sent: Sent, repeated: readonly string[] = []): AuthorizationRequest => ({
  clientId: sent.client_id ?? '',
  redirectUri: sent.redirect_uri ?? '',
  responseType: sent.response_type ?? '',
  responseMode: sent.response_mode ?? '',
  state: sent.state,
  scope: sent.scope ?? '',
  nonce: sent.nonce ?? '',
  challenge: sent.code_challenge ?? '',
  challengeMethod: sent.code_challenge_method ?? '',
  prompt: sent.prompt ?? '',
  maxAge: sent.max_age ?? '',
  idTokenHint: sent.id_token_hint ?? '',
  unsupported: (['request', 'request_uri', 'registration'] as const).filter((name) => sent[name] !== undefined),
  repeated,
})

const signedInPerson = ({ sessionId, signedInUnix }: BrowserCtx, viewer: Viewer, { again }: Sent): SignedInPerson => ({
  viewer,
  sessionId,
  signedInUnix,
  again,
})

/** Addresses with a code must not be cached or sent as a referrer. */
const secretAddress = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

/** Redirects to the sign-in page, which returns to the request. */
function leadToSignIn(ctx: BrowserCtx, query: URLSearchParams, again: string | undefined) {
  const consentRequest = new URLSearchParams(query)
  if (again !== undefined) consentRequest.set('again', again)
  const back = encodeURIComponent(`/login/oauth/authorize?${consentRequest.toString()}`)
  return redirect(303, siteHref(ctx.config, `/user/login?redirect_to=${back}`))
}

const queryOf = (sent: Sent): URLSearchParams =>
  new URLSearchParams(names.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]]])))

async function answer(
  ctx: BrowserCtx,
  call: Call,
  { sent, query }: { readonly sent: Sent; readonly query: URLSearchParams },
  authorization: Authorization,
) {
  if (authorization.outcome === 'redirect') return empty(303, { ...secretAddress, location: authorization.location })
  if (authorization.outcome === 'signIn') return leadToSignIn(ctx, query, authorization.again)
  const { application, ownerName, scope } = authorization
  const target = sent.redirect_uri ?? ''
  return sendCard(ctx, call, {
    title: texts.authorize.title(application.name),
    heading: texts.authorize.heading(application.name),
    content: (
      <>
        <RequestedScope login={ctx.viewer?.user.name ?? ''} ownerName={ownerName} scope={scope} />
        <p>{texts.authorize.target(target)}</p>
        <CardForm to="/login/oauth/grant" hidden={{ ...asSent(sent), agreed_scope: scope }}>
          <AnswerButtons />
        </CardForm>
      </>
    ),
    headers: leadingTo(target),
  })
}

/** Returns the headers of a page whose form ends at the application. */
const leadingTo = (target: string) => ({
  ...unkept,
  'content-security-policy': policyWith(formTargetOf(target)),
  'x-frame-options': 'DENY',
})

/** Shows the consent page. Guests sign in first; a previous consent redirects at once. */
export const oauthAuthorize = operation({
  method: 'GET',
  path: '/login/oauth/authorize',
  cost: 'usual',
  base: 'site',
  family: 'oauth2',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  requires: [inBrowser, oauthOn],
  query: parameters,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, query, call }) {
    const { rawQuery } = call
    const request = requestOf(
      query,
      names.filter((name) => rawQuery.getAll(name).length > 1),
    )
    const openRequest = ctx.viewer && signedInPerson(ctx, ctx.viewer, query)
    return answer(ctx, call, { sent: query, query: rawQuery }, await openAuthorization(ctx, openRequest, request))
  },
})

/**
 * Accepts the request as a form and redirects to the address, because browsers do not send the cookies with a form of
 * another site.
 */
export const oauthAuthorizePost = operation({
  method: 'POST',
  path: '/login/oauth/authorize',
  cost: 'usual',
  base: 'site',
  family: 'oauth2',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  requires: [inBrowser, oauthOn, validBody],
  body: requestObject('OAuth2AuthorizationForm', { ...parameters, login_hint: text }),
  reply: { 303: 'empty' },
  async run({ ctx, body }) {
    const query = queryOf(body)
    if (body.login_hint !== undefined) query.set('login_hint', body.login_hint)
    return redirect(303, siteHref(ctx.config, `/login/oauth/authorize?${query.toString()}`))
  },
})

/** Receives the answer of the person. */
export const oauthGrant = operation({
  method: 'POST',
  path: '/login/oauth/grant',
  cost: 'usual',
  base: 'site',
  family: 'oauth2',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  requires: [inBrowser, oauthOn, validBody, ownForm],
  body: GrantForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty', 403: bytesOf('text/html') },
  async run({ ctx: known, body, call }) {
    const { viewer } = known
    if (!viewer) return redirect(303, siteHref(known.config, '/user/login'))
    const request = { ...requestOf(body), responseType: body.response_type ?? 'code' }
    const decision = { isGranted: body.granted === 'true', agreedScope: body.agreed_scope }
    const target = await targetOfRequest(known, queryOf(body))
    const headers = target === undefined ? unkept : leadingTo(target)
    const need = decision.isGranted ? true : undefined
    const found = await recentSignInFor(need, { ...known, viewer }, call, body, headers)
    if ('confirmation' in found) return found.confirmation
    const { ctx } = found
    const authorization = await answerAuthorization(ctx, signedInPerson(ctx, viewer, body), request, decision)
    return answer(ctx, call, { sent: body, query: queryOf(body) }, authorization)
  },
})
