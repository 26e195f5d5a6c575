import { Type } from 'typebox'
import type { Viewer } from '../auth/viewer.ts'
import { bytesOf, operation, validBody } from '../http/operation.ts'
import { empty, redirect } from '../http/reply.ts'
import { requestObject } from '../http/schema.ts'
import {
  answerAuthorization,
  openAuthorization,
  type Authorization,
  type AuthorizationRequest,
} from '../oauth/authorize.service.ts'
import { oauthOn } from '../oauth/oauth.requirements.ts'
import { formTargetOf } from '../oauth/redirect.rules.ts'
import { Asked } from './asked.tsx'
import { inBrowser, ownForm, type BrowserCtx } from './browser.requirements.ts'
import { Form } from './form.tsx'
import { htmlErrors, page, policyWith, sitePath } from './page.tsx'

/** Parameters of a request, by the names of the protocol; the page that asks sends them back as they came. */
const parameters = {
  client_id: Type.Optional(Type.String()),
  redirect_uri: Type.Optional(Type.String()),
  response_type: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  scope: Type.Optional(Type.String()),
  nonce: Type.Optional(Type.String()),
  code_challenge: Type.Optional(Type.String()),
  code_challenge_method: Type.Optional(Type.String()),
}

const GrantForm = requestObject('OAuth2GrantForm', {
  _csrf: Type.Optional(Type.String()),
  granted: Type.Optional(Type.String()),
  ...parameters,
})

/** What was asked for and nothing else: the body of the answer has more members. */
const asSent = (sent: Sent): Sent =>
  Object.fromEntries(Object.keys(parameters).map((name) => [name, sent[name as keyof Sent]]))

type Sent = { readonly [Name in keyof typeof parameters]?: string | undefined }

const requestOf = (sent: Sent): AuthorizationRequest => ({
  clientId: sent.client_id ?? '',
  redirectUri: sent.redirect_uri ?? '',
  responseType: sent.response_type ?? '',
  state: sent.state,
  scope: sent.scope ?? '',
  nonce: sent.nonce ?? '',
  challenge: sent.code_challenge ?? '',
  challengeMethod: sent.code_challenge_method ?? '',
})

/** Addresses with a code in them are kept by nobody, and told to nobody as where somebody came from. */
const secretAddress = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

function answer(ctx: BrowserCtx & { readonly viewer: Viewer }, sent: Sent, authorization: Authorization) {
  if (authorization.outcome === 'redirect') return empty(303, { ...secretAddress, location: authorization.location })
  const { application, ownerName, scope } = authorization
  const { config, viewer } = ctx
  const target = sent.redirect_uri ?? ''
  return page(
    config,
    {
      title: `Authorize ${application.name}`,
      content: (
        <main class="card">
          <h1>Authorize “{application.name}”?</h1>
          <Asked login={viewer.user.name} ownerName={ownerName} scope={scope} />
          <p>
            You will be sent to <code>{target}</code>. You can revoke this in your settings at any time.
          </p>
          <Form ctx={ctx} to="login/oauth/grant" hidden={asSent(sent)}>
            <button type="submit" name="granted" value="true">
              Authorize
            </button>{' '}
            <button type="submit" name="granted" value="false" class="second">
              Deny
            </button>
          </Form>
        </main>
      ),
    },
    {
      headers: {
        'cache-control': 'no-store',
        'content-security-policy': policyWith(formTargetOf(target)),
        'x-frame-options': 'DENY',
      },
    },
  )
}

/** An application asks for a person: guests sign in first, and who let it in before is sent on at once. */
export const oauthAuthorize = operation({
  method: 'GET',
  path: '/login/oauth/authorize',
  base: 'site',
  family: 'oauth2',
  scope: null,
  accepts: ['session'],
  errors: htmlErrors,
  requires: [inBrowser, oauthOn],
  query: parameters,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, query, call }) {
    const { viewer } = ctx
    if (!viewer) {
      const asked = `/login/oauth/authorize?${call.rawQuery.toString()}`
      return redirect(303, sitePath(ctx.config, `user/login?redirect_to=${encodeURIComponent(asked)}`))
    }
    return answer({ ...ctx, viewer }, query, await openAuthorization(ctx, viewer, requestOf(query)))
  },
})

/** What the person answered. */
export const oauthGrant = operation({
  method: 'POST',
  path: '/login/oauth/grant',
  base: 'site',
  family: 'oauth2',
  scope: null,
  accepts: ['session'],
  errors: htmlErrors,
  requires: [inBrowser, oauthOn, validBody, ownForm],
  body: GrantForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body }) {
    const { viewer } = ctx
    if (!viewer) return redirect(303, sitePath(ctx.config, 'user/login'))
    const request = { ...requestOf(body), responseType: body.response_type ?? 'code' }
    return answer({ ...ctx, viewer }, body, await answerAuthorization(ctx, viewer, request, body.granted === 'true'))
  },
})
