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
import { findGrant, insertCode, takeGrant } from '../grant.store.ts'
import { subjectOfOwnToken } from '../openid/key.service.ts'
import { allowsRedirect, redirectWith } from '../applications/redirect.rules.ts'
import { scopeWords } from '../scope.rules.ts'

/** Somebody in a browser, and how they signed in to it. */
export interface Asked {
  readonly viewer: Viewer
  /** None for whom a reverse proxy vouches for. */
  readonly sessionId: SessionId | undefined
  /** When they signed in; undefined where nobody knows. */
  readonly signedInUnix: Unix | undefined
  /** What came back from the sign-in page that the request led to; undefined before. */
  readonly again: string | undefined
}

/** What is to be done with a request: send the person back, have them sign in, or ask first. */
export type Authorization =
  | { readonly outcome: 'redirect'; readonly location: string }
  /** `again`: to be brought back from there, where somebody was signed in before. */
  | { readonly outcome: 'signIn'; readonly again: string | undefined }
  | {
      readonly outcome: 'ask'
      readonly application: OAuthApplicationRow
      /** Login of whose application it is; undefined for one of the instance. */
      readonly ownerName: string | undefined
      /** What is granted in fact: what was granted first stays. */
      readonly scope: string
    }

/** How long a code lasts, in seconds. It is on its way through a browser, and used at once. */
const codeLifetimeSeconds = 300
/** How long somebody may take to sign in once more, in seconds. */
const againSeconds = 3600
const againPurpose = 'sign-in-again'

/**
 * The application and address of a request. Without both being right nobody is sent anywhere: an error goes to the person
 * (RFC 6749, 4.1.2.1). Throws `BadRequest`.
 */
async function knownClient(services: Services, request: AuthorizationRequest): Promise<OAuthApplicationRow> {
  const twice = request.repeated.find((name) => name === 'client_id' || name === 'redirect_uri')
  if (twice !== undefined) throw new BadRequest(`the parameter ${twice} comes more than once`, 'invalid_request')
  const application = await findClient(services, request.clientId)
  if (!application) throw new BadRequest('there is no application of this id', 'oauth_client_unknown')
  const client = { redirectUris: redirectUrisOf(application), isConfidential: application.is_confidential }
  if (!allowsRedirect(client, request.redirectUri)) {
    throw new BadRequest('the application did not register this address', 'oauth_redirect_unknown')
  }
  return application
}

/**
 * Where a request may lead once somebody has signed in: its address when the application registered it.
 * @param query the request as it stands in an address
 */
export async function targetOfRequest(services: Services, query: URLSearchParams): Promise<string | undefined> {
  const application = await findClient(services, query.get('client_id') ?? '')
  const uri = query.get('redirect_uri') ?? ''
  if (!application) return undefined
  const client = { redirectUris: redirectUrisOf(application), isConfidential: application.is_confidential }
  return allowsRedirect(client, uri) ? uri : undefined
}

const problemFor = (application: OAuthApplicationRow, request: AuthorizationRequest) =>
  problemOf({ isConfidential: application.is_confidential }, request)

const backWith = (request: AuthorizationRequest, [error, description]: readonly [string, string]): Authorization => ({
  outcome: 'redirect',
  location: redirectWith(request.redirectUri, { error, error_description: description, state: request.state }),
})

const loginRequired = ['login_required', 'the person would have to sign in'] as const

/**
 * Looks at a request of an application. A confidential application that was granted before gets its code at once; a public
 * one can be anybody, so the person is asked each time, and so is whom the application wants to be asked.
 * @param asked undefined for a guest
 * @throws BadRequest when the application or the address is not known, `Forbidden` when the account may not be used
 */
export async function openAuthorization(
  services: Services,
  asked: Asked | undefined,
  request: AuthorizationRequest,
): Promise<Authorization> {
  const prompts = promptsOf(request)
  // Whoever has to sign in does so first: what is wrong with the request is told afterwards.
  if (!asked && !prompts.has('none')) {
    const wantsSignIn = prompts.size > 0 || request.maxAge !== ''
    return { outcome: 'signIn', again: wantsSignIn ? leadAgain(services, request, 0) : undefined }
  }
  if (asked) checkAccountState(asked.viewer.user)
  const application = await knownClient(services, request)
  const problem = problemFor(application, request)
  if (problem) return backWith(request, problem)
  if (!asked) return backWith(request, loginRequired)
  const signIn = await signInFor(services, asked, application, request)
  if (signIn) return signIn
  const { viewer } = asked
  const grant = await findGrant(services.db, application.id, viewer.id)
  if (grant && application.is_confidential && !prompts.has('consent')) {
    return issueCode(services, asked, application, request, grant.scope)
  }
  if (prompts.has('none')) return backWith(request, ['consent_required', 'the person would have to be asked'])
  const owner = application.user_id === null ? undefined : await findUserById(services.db, application.user_id)
  return {
    outcome: 'ask',
    application,
    ownerName: owner?.name,
    scope: grant?.scope ?? scopeWords(request.scope).join(' '),
  }
}

/**
 * What a person answered. The request is looked at anew, since it came by way of the browser once more.
 * @param answer.agreedScope what the person was shown that is granted; undefined where that is not known
 * @throws as `openAuthorization`, and `Conflict` when something else would be granted
 */
export async function answerAuthorization(
  services: Services,
  asked: Asked,
  request: AuthorizationRequest,
  answer: { readonly isGranted: boolean; readonly agreedScope: string | undefined },
): Promise<Authorization> {
  checkAccountState(asked.viewer.user)
  const application = await knownClient(services, request)
  const problem = problemFor(application, request)
  if (problem) return backWith(request, problem)
  if (!answer.isGranted) return backWith(request, ['access_denied', 'the person said no'])
  const signIn = await signInFor(services, asked, application, request)
  return signIn ?? issueCode(services, asked, application, request, answer.agreedScope)
}

/**
 * Whether the application wants the person to sign in once more (`prompt`, `max_age`), or somebody else to be there
 * (`id_token_hint`); undefined when all is well. Source: OpenID Connect Core, 3.1.2.
 */
async function signInFor(
  services: Services,
  asked: Asked,
  application: OAuthApplicationRow,
  request: AuthorizationRequest,
): Promise<Authorization | undefined> {
  const prompts = promptsOf(request)
  const now = nowUnix(services.clock)
  const hasSignedIn = isSignedInFor(services, asked, request)
  const hinted =
    request.idTokenHint === ''
      ? undefined
      : ((await subjectOfOwnToken(services, request.idTokenHint, application.client_id)) ?? 'nobody')
  const isOther = hinted !== undefined && hinted !== String(asked.viewer.id)
  // A hint that is none of ours, or too old to tell, keeps nobody out who is there to be asked.
  const isHintRefused = isOther && (hinted !== 'nobody' || prompts.has('none'))
  if (hasSignedIn) return isHintRefused ? backWith(request, loginRequired) : undefined
  const isOld =
    request.maxAge !== '' &&
    (asked.signedInUnix === undefined || now - asked.signedInUnix > Number(request.maxAge) || request.maxAge === '0')
  if (!isHintRefused && !isOld && !prompts.has('login') && !prompts.has('select_account')) return undefined
  // Whom a proxy vouches for has no sign-in of here that could be newer.
  if (prompts.has('none') || asked.sessionId === undefined) return backWith(request, loginRequired)
  return { outcome: 'signIn', again: leadAgain(services, request, asked.sessionId) }
}

/** Tells one request from others. */
const markOf = ({ clientId, redirectUri, state = '', nonce, challenge }: AuthorizationRequest): string =>
  hashToken(JSON.stringify([clientId, redirectUri, state, nonce, challenge])).slice(0, 32)

/** What somebody is led to the sign-in page with. @param session the session that they had; 0: none */
const leadAgain = ({ secrets, clock }: Services, request: AuthorizationRequest, session: number): string =>
  secrets.sign(againPurpose, { request: markOf(request), session }, nowUnix(clock) + againSeconds)

/** Whether somebody came back from the sign-in page that this request led to, by another session than before. */
function isSignedInFor({ secrets, clock }: Services, asked: Asked, request: AuthorizationRequest): boolean {
  const led = asked.again === undefined ? undefined : secrets.verify(againPurpose, asked.again, nowUnix(clock))
  return (
    led !== undefined &&
    led['request'] === markOf(request) &&
    asked.sessionId !== undefined &&
    Number(led['session']) < asked.sessionId
  )
}

async function issueCode(
  { db, clock }: Services,
  { viewer, signedInUnix }: Asked,
  application: OAuthApplicationRow,
  request: AuthorizationRequest,
  agreedScope: string | undefined,
): Promise<Authorization> {
  const code = newPrefixedToken('gta_')
  const now = nowUnix(clock)
  await transaction(db, async (tx) => {
    const grant = await takeGrant(tx, {
      application_id: application.id,
      user_id: viewer.id,
      scope: scopeWords(request.scope).join(' '),
      created_unix: now,
    })
    if (agreedScope !== undefined && grant.scope !== agreedScope) {
      throw new Conflict('what the application could do has changed meanwhile; begin again', 'grant_changed')
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
