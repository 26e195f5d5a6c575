import type { Services } from '../access/context.ts'
import { recordAct } from '../audit/audit.ts'
import type { Viewer } from '../auth/viewer.ts'
import { checkAccountState } from '../auth/identify.ts'
import { transaction } from '../db/database.ts'
import type { OAuthApplicationRow } from '../db/tables/oauth.ts'
import { BadRequest } from '../lib/errors.ts'
import { nowUnix } from '../lib/time.ts'
import { hashToken, newPrefixedToken } from '../secrets/tokens.ts'
import { findUserById } from '../users/user.store.ts'
import { findClient, redirectUrisOf } from './application.service.ts'
import { findGrant, insertCode, takeGrant } from './grant.store.ts'
import { allowsRedirect, redirectWith } from './redirect.rules.ts'
import { scopeWords } from './scope.rules.ts'

/** What an application asks of a person, as it came by way of the browser. */
export interface AuthorizationRequest {
  readonly clientId: string
  readonly redirectUri: string
  readonly responseType: string
  readonly state: string | undefined
  readonly scope: string
  readonly nonce: string
  /** PKCE (RFC 7636); empty: none. */
  readonly challenge: string
  readonly challengeMethod: string
}

/** What is to be done with a request: send the person back, or ask first. */
export type Authorization =
  | { readonly outcome: 'redirect'; readonly location: string }
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
/** Longest list of scopes, nonce and state, in characters. */
const maxTextLength = 4096

/**
 * The application and address of a request. Without both being right nobody is sent anywhere: an error goes to the person
 * (RFC 6749, 4.1.2.1). Throws `BadRequest`.
 */
async function knownClient(services: Services, request: AuthorizationRequest): Promise<OAuthApplicationRow> {
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

/** What is wrong with a request whose application and address are right, as the application is told. */
function problemOf(application: OAuthApplicationRow, request: AuthorizationRequest): [string, string] | undefined {
  const { responseType, scope, nonce, state, challenge, challengeMethod } = request
  if (responseType !== 'code') return ['unsupported_response_type', 'only the response type code is supported']
  if ([scope, nonce, state ?? ''].some((text) => text.length > maxTextLength)) {
    return ['invalid_request', `scope, nonce and state have at most ${maxTextLength} characters`]
  }
  if (challenge === '') {
    if (challengeMethod !== '') return ['invalid_request', 'a method of challenge without a challenge']
    return application.is_confidential ? undefined : ['invalid_request', 'a public client needs a code challenge']
  }
  if (!['', 'plain', 'S256'].includes(challengeMethod)) return ['invalid_request', 'unknown method of code challenge']
  return /^[\w.~-]{43,128}$/.test(challenge) ? undefined : ['invalid_request', 'this is no code challenge']
}

const backWith = (request: AuthorizationRequest, [error, description]: readonly [string, string]): Authorization => ({
  outcome: 'redirect',
  location: redirectWith(request.redirectUri, { error, error_description: description, state: request.state }),
})

/**
 * Looks at a request of an application for a person who is signed in. A confidential application that was granted before
 * gets its code at once; a public one can be anybody, so the person is asked each time.
 * @throws BadRequest when the application or the address is not known, `Forbidden` when the account may not be used
 */
export async function openAuthorization(
  services: Services,
  viewer: Viewer,
  request: AuthorizationRequest,
): Promise<Authorization> {
  checkAccountState(viewer.user)
  const application = await knownClient(services, request)
  const problem = problemOf(application, request)
  if (problem) return backWith(request, problem)
  const grant = await findGrant(services.db, application.id, viewer.id)
  if (grant && application.is_confidential) return issueCode(services, viewer, application, request)
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
 * @throws as `openAuthorization`
 */
export async function answerAuthorization(
  services: Services,
  viewer: Viewer,
  request: AuthorizationRequest,
  isGranted: boolean,
): Promise<Authorization> {
  checkAccountState(viewer.user)
  const application = await knownClient(services, request)
  const problem =
    problemOf(application, request) ?? (isGranted ? undefined : (['access_denied', 'the person said no'] as const))
  return problem ? backWith(request, problem) : issueCode(services, viewer, application, request)
}

async function issueCode(
  { db, clock }: Services,
  viewer: Viewer,
  application: OAuthApplicationRow,
  request: AuthorizationRequest,
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
      expires_unix: now + codeLifetimeSeconds,
    })
  })
  return { outcome: 'redirect', location: redirectWith(request.redirectUri, { code, state: request.state }) }
}
