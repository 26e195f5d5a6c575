import type { Services } from '../../access/context.ts'
import { recordAct } from '../../audit/audit.ts'
import { checkAccountState } from '../../auth/identify.ts'
import type { Viewer } from '../../auth/viewer.ts'
import { transaction } from '../../db/database.ts'
import type { OAuthApplicationRow } from '../../db/tables/oauth.ts'
import { BadRequest, Conflict } from '../../lib/errors.ts'
import type { SessionId } from '../../lib/ids.ts'
import { nowUnix, type Unix } from '../../lib/time.ts'
import { hashToken, newPrefixedToken } from '../../secrets/tokens.ts'
import { findUserById } from '../../users/user.store.ts'
import { findClient, redirectUrisOf } from '../applications/application.service.ts'
import { problemOf, promptsOf, type AuthorizationRequest } from './authorize-request.rules.ts'
import { findGrant, insertCode, findOrInsertGrant } from '../grant.store.ts'
import { subjectOfOwnToken } from '../openid/key.service.ts'
import { allowsRedirect, redirectWith } from '../applications/redirect.rules.ts'
import { scopeWords } from '../scope.rules.ts'

/** A signed-in person in a browser. */
export interface SignedInPerson {
  readonly viewer: Viewer
  /** Undefined for sign-in by a reverse proxy. */
  readonly sessionId: SessionId | undefined
  /** The time of the sign-in; undefined when unknown. */
  readonly signedInUnix: Unix | undefined
  /** The signed ticket of a sign-in that this request required. */
  readonly again: string | undefined
}

/** The next step of a request: redirect the person, require a sign-in, or ask for consent. */
export type Authorization =
  | { readonly outcome: 'redirect'; readonly location: string }
  /** `again` is the ticket to pass through the sign-in page when a new sign-in is required. */
  | { readonly outcome: 'signIn'; readonly again: string | undefined }
  | {
      readonly outcome: 'ask'
      readonly application: OAuthApplicationRow
      /** The login of the application's owner; undefined for a built-in application. */
      readonly ownerName: string | undefined
      /** The scope of the grant, which for an existing grant may differ from the requested one. */
      readonly scope: string
    }

/** The lifetime of a code, in seconds. */
const codeLifetimeSeconds = 300
/** The time in which a required sign-in has to happen, in seconds. */
const againSeconds = 3600
const againPurpose = 'sign-in-again'

/**
 * Returns the application of a request. Throws `BadRequest` for an unknown application or address; then the person sees the
 * error and is not redirected (RFC 6749, 4.1.2.1).
 */
async function knownClient(services: Services, request: AuthorizationRequest): Promise<OAuthApplicationRow> {
  const twice = request.repeated.find((name) => name === 'client_id' || name === 'redirect_uri')
  if (twice !== undefined) throw new BadRequest(`the parameter ${twice} occurs more than once`, 'invalid_request')
  const application = await findClient(services, request.clientId)
  if (!application) throw new BadRequest('no application has this client_id', 'oauth_client_unknown')
  const client = { redirectUris: redirectUrisOf(application), isConfidential: application.is_confidential }
  if (!allowsRedirect(client, request.redirectUri)) {
    throw new BadRequest('the redirect_uri is not registered for the application', 'oauth_redirect_unknown')
  }
  return application
}

/** Returns the redirect address of a request when the application registered it. */
export async function targetOfRequest(services: Services, query: URLSearchParams): Promise<string | undefined> {
  const application = await findClient(services, query.get('client_id') ?? '')
  const uri = query.get('redirect_uri') ?? ''
  if (!application) return undefined
  const client = { redirectUris: redirectUrisOf(application), isConfidential: application.is_confidential }
  return allowsRedirect(client, uri) ? uri : undefined
}

const problemFor = (application: OAuthApplicationRow, request: AuthorizationRequest) =>
  problemOf({ isConfidential: application.is_confidential }, request)

const redirectWithError = (
  request: AuthorizationRequest,
  [error, description]: readonly [string, string],
): Authorization => ({
  outcome: 'redirect',
  location: redirectWith(request.redirectUri, { error, error_description: description, state: request.state }),
})

const loginRequired = ['login_required', 'the person has to sign in'] as const

/**
 * Evaluates an authorization request. A confidential application with a grant gets a code at once. A public client can be
 * impersonated, so the person is asked each time.
 * @param person undefined for a guest
 * @throws BadRequest for an unknown application or address, `Forbidden` for an account that must not be used
 */
export async function openAuthorization(
  services: Services,
  person: SignedInPerson | undefined,
  request: AuthorizationRequest,
): Promise<Authorization> {
  const prompts = promptsOf(request)
  // A guest signs in first; errors of the request are reported afterwards.
  if (!person && !prompts.has('none')) {
    const wantsSignIn = prompts.size > 0 || request.maxAge !== ''
    return { outcome: 'signIn', again: wantsSignIn ? signInTicket(services, request, 0) : undefined }
  }
  if (person) checkAccountState(person.viewer.user)
  const application = await knownClient(services, request)
  const problem = problemFor(application, request)
  if (problem) return redirectWithError(request, problem)
  if (!person) return redirectWithError(request, loginRequired)
  const signIn = await requiredSignIn(services, person, application, request)
  if (signIn) return signIn
  const { viewer } = person
  const grant = await findGrant(services.db, application.id, viewer.id)
  if (grant && application.is_confidential && !prompts.has('consent')) {
    return issueCode(services, person, application, request, grant.scope)
  }
  if (prompts.has('none')) return redirectWithError(request, ['consent_required', 'the person has to consent'])
  const owner = application.user_id === null ? undefined : await findUserById(services.db, application.user_id)
  return {
    outcome: 'ask',
    application,
    ownerName: owner?.name,
    scope: grant?.scope ?? scopeWords(request.scope).join(' '),
  }
}

/**
 * Evaluates the person's answer. The request is checked again, because it comes from the browser.
 * @param answer.agreedScope the scope that the page showed; undefined when unknown
 * @throws as `openAuthorization`, and `Conflict` when the grant has another scope
 */
export async function answerAuthorization(
  services: Services,
  person: SignedInPerson,
  request: AuthorizationRequest,
  answer: { readonly isGranted: boolean; readonly agreedScope: string | undefined },
): Promise<Authorization> {
  checkAccountState(person.viewer.user)
  const application = await knownClient(services, request)
  const problem = problemFor(application, request)
  if (problem) return redirectWithError(request, problem)
  if (!answer.isGranted) return redirectWithError(request, ['access_denied', 'the person denied access'])
  const signIn = await requiredSignIn(services, person, application, request)
  return signIn ?? issueCode(services, person, application, request, answer.agreedScope)
}

/**
 * Returns the required sign-in of a request: `prompt` and `max_age` require a new one, `id_token_hint` another person.
 * Returns undefined when the present sign-in is sufficient (OpenID Connect Core, 3.1.2).
 */
async function requiredSignIn(
  services: Services,
  person: SignedInPerson,
  application: OAuthApplicationRow,
  request: AuthorizationRequest,
): Promise<Authorization | undefined> {
  const prompts = promptsOf(request)
  const now = nowUnix(services.clock)
  const hasSignedIn = isSignedInFor(services, person, request)
  const hinted =
    request.idTokenHint === ''
      ? undefined
      : ((await subjectOfOwnToken(services, request.idTokenHint, application.client_id)) ?? 'nobody')
  const isOther = hinted !== undefined && hinted !== String(person.viewer.id)
  // A hint that cannot be verified refuses a request only when the person cannot be asked.
  const isHintRefused = isOther && (hinted !== 'nobody' || prompts.has('none'))
  if (hasSignedIn) return isHintRefused ? redirectWithError(request, loginRequired) : undefined
  const isOld =
    request.maxAge !== '' &&
    (person.signedInUnix === undefined || now - person.signedInUnix > Number(request.maxAge) || request.maxAge === '0')
  if (!isHintRefused && !isOld && !prompts.has('login') && !prompts.has('select_account')) return undefined
  // A person who is signed in by a reverse proxy has no session that could be renewed.
  if (prompts.has('none') || person.sessionId === undefined) return redirectWithError(request, loginRequired)
  return { outcome: 'signIn', again: signInTicket(services, request, person.sessionId) }
}

/** Returns a hash that identifies the request. */
const requestHash = ({ clientId, redirectUri, state = '', nonce, challenge }: AuthorizationRequest): string =>
  hashToken(JSON.stringify([clientId, redirectUri, state, nonce, challenge])).slice(0, 32)

/** Returns a signed ticket for the sign-in page. @param session the present session; 0 for none */
const signInTicket = ({ secrets, clock }: Services, request: AuthorizationRequest, session: number): string =>
  secrets.sign(againPurpose, { request: requestHash(request), session }, nowUnix(clock) + againSeconds)

/** Returns whether the person signed in with a new session since this request required it. */
function isSignedInFor({ secrets, clock }: Services, person: SignedInPerson, request: AuthorizationRequest): boolean {
  const led = person.again === undefined ? undefined : secrets.verify(againPurpose, person.again, nowUnix(clock))
  return (
    led !== undefined &&
    led['request'] === requestHash(request) &&
    person.sessionId !== undefined &&
    Number(led['session']) < person.sessionId
  )
}

async function issueCode(
  { db, clock }: Services,
  { viewer, signedInUnix }: SignedInPerson,
  application: OAuthApplicationRow,
  request: AuthorizationRequest,
  agreedScope: string | undefined,
): Promise<Authorization> {
  const code = newPrefixedToken('gta_')
  const now = nowUnix(clock)
  await transaction(db, async (tx) => {
    const grant = await findOrInsertGrant(tx, {
      application_id: application.id,
      user_id: viewer.id,
      scope: scopeWords(request.scope).join(' '),
      created_unix: now,
    })
    if (agreedScope !== undefined && grant.scope !== agreedScope) {
      throw new Conflict('the access of the application has changed meanwhile; begin again', 'grant_changed')
    }
    await recordAct(tx, {
      action: 'grant.used',
      doerId: viewer.id,
      about: { kind: 'application', id: application.id, name: application.name },
      details: { scope: scopeWords(request.scope) },
    })
    await insertCode(tx, {
      grant_id: grant.id,
      code_hash: hashToken(code),
      redirect_uri: request.redirectUri,
      challenge: request.challenge,
      challenge_method: request.challengeMethod,
      nonce: request.nonce,
      auth_unix: signedInUnix ?? null,
      expires_unix: now + codeLifetimeSeconds,
    })
  })
  return { outcome: 'redirect', location: redirectWith(request.redirectUri, { code, state: request.state }) }
}
