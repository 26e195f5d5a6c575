import { createHash } from 'node:crypto'
import type { Services } from '../access/context.ts'
import { recordAct, type Act } from '../audit/audit.ts'
import { transaction, type Tx } from '../db/database.ts'
import type { OAuthApplicationRow } from '../db/tables/oauth.ts'
import { publish } from '../events/hub.ts'
import { BadRequest, Unauthenticated } from '../lib/errors.ts'
import { nowUnix, type Unix } from '../lib/time.ts'
import { equalSecrets } from '../secrets/secrets.ts'
import { hashToken, newPrefixedToken } from '../secrets/tokens.ts'
import { findClient } from './applications/application.service.ts'
import {
  deleteFamily,
  deleteToken,
  findCode,
  findToken,
  insertTokens,
  useCode,
  useRefreshToken,
  type Granted,
} from './grant.store.ts'
import { accessTokenPrefix, refreshTokenPrefix } from './token-form.ts'

/** How a program says which application it is. */
export interface ClientLogin {
  readonly clientId: string
  /** undefined: none was sent. */
  readonly secret: string | undefined
}

/** Tokens that were just issued; they are kept nowhere here. */
export interface IssuedTokens extends Granted {
  readonly accessToken: string
  readonly refreshToken: string
  readonly lifetimeSeconds: number
  readonly issuedUnix: Unix
  /** What the application sent to find again in the identity token; empty: nothing. */
  readonly nonce: string
  /** When the person signed in; null where nobody knows. */
  readonly authUnix: Unix | null
}

/** Refusals as the protocol names them (RFC 6749, 5.2); which of them, clients can see (contract, auth). */
const invalidClient = () => new BadRequest('there is no such client', 'invalid_client')
const unauthorized = (why: string) => new BadRequest(why, 'unauthorized_client')
const invalidGrant = (why: string) => new BadRequest(why, 'invalid_grant')

/**
 * The application that a program says it is. One that can keep a secret has to know it.
 * @throws BadRequest
 */
export async function knownClient(services: Services, login: ClientLogin): Promise<OAuthApplicationRow> {
  const application = await findClient(services, login.clientId)
  if (!application) throw invalidClient()
  if (login.secret === undefined || login.secret === '') {
    if (application.is_confidential) throw unauthorized('the secret of the client is missing')
  } else if (!equalSecrets(hashToken(login.secret), application.secret_hash)) {
    throw unauthorized('the secret of the client is wrong')
  }
  return application
}

/** The application of a request whose secret is known in any case; else `Unauthenticated`. */
export async function clientWithSecret(services: Services, login: ClientLogin): Promise<OAuthApplicationRow> {
  const application = await findClient(services, login.clientId)
  if (!application || !equalSecrets(hashToken(login.secret ?? ''), application.secret_hash)) {
    throw new Unauthenticated('the credentials of the client are wrong', 'invalid_client')
  }
  return application
}

function fitsChallenge(method: string, challenge: string, verifier: string | undefined): boolean {
  if (challenge === '') return true
  if (verifier === undefined || !/^[\w.~-]{43,128}$/.test(verifier)) return false
  const answer = method === 'S256' ? createHash('sha256').update(verifier).digest('base64url') : verifier
  return equalSecrets(answer, challenge)
}

/**
 * Tokens for a code. A code is looked at whole before it is spent, so that somebody else's mistakes do not spend it; one
 * that is used twice was stolen on one of its ways, and what was bought with it ends (RFC 6749, 4.1.2).
 * @param sent.redirectUri when given, the address that the code was sent to
 */
export async function exchangeCode(
  services: Services,
  login: ClientLogin,
  sent: { readonly code: string; readonly redirectUri: string | undefined; readonly verifier: string | undefined },
): Promise<IssuedTokens> {
  const application = await knownClient(services, login)
  const now = nowUnix(services.clock)
  const outcome = await transaction(services.db, async (tx) => {
    const found = await findCode(tx, hashToken(sent.code))
    if (!found || found.code.expires_unix <= now) return unauthorized('the code is not known or has expired')
    const { code, grant } = found
    if (found.application.id !== application.id) return invalidGrant('the code was issued to another client')
    if (sent.redirectUri !== undefined && sent.redirectUri !== code.redirect_uri) {
      return unauthorized('the code was sent to another address')
    }
    if (!fitsChallenge(code.challenge_method, code.challenge, sent.verifier)) {
      return unauthorized('the verifier does not fit the challenge')
    }
    if (!(await useCode(tx, code.id, now))) {
      await deleteFamily(tx, grant.id, `code ${code.id}`)
      await recordAct(tx, copied(found))
      return unauthorized('the code was used already')
    }
    return issueTokens(services, tx, found, {
      family: `code ${code.id}`,
      nonce: code.nonce,
      authUnix: code.auth_unix,
      now,
    })
  })
  if (outcome instanceof BadRequest) throw outcome
  return outcome
}

/** What the audit log says where a code or a refresh token came again: somebody copied it. */
const copied = ({ application, user }: Granted): Act => ({
  action: 'grant.copied',
  outcome: 'refused',
  doerId: user.id,
  about: { kind: 'application', id: application.id, name: application.name },
})

/** How long after its use a refresh token may come once more without its family being ended, in seconds. */
const reuseGraceSeconds = 10

/**
 * New tokens for a refresh token, which is spent by it. One that comes again was copied, and nobody knows which of the two
 * is the thief, so all that came of it ends (RFC 9700, 4.14.2); a client that asks twice at once is only refused. With
 * `[oauth2].INVALIDATE_REFRESH_TOKENS` off those of confidential clients may be used again.
 */
export async function refresh(services: Services, login: ClientLogin, refreshToken: string): Promise<IssuedTokens> {
  const application = await knownClient(services, login)
  const now = nowUnix(services.clock)
  const spends = services.config.oauth2.invalidateRefreshTokens || !application.is_confidential
  const outcome = await transaction(services.db, async (tx) => {
    const found = await findToken(tx, hashToken(refreshToken))
    const token = found?.token
    if (!found || !token?.is_refresh || token.expires_unix <= now || found.application.id !== application.id) {
      return unauthorized('the refresh token is not known or has expired')
    }
    if (token.used_unix !== null || (spends && !(await useRefreshToken(tx, token.id, now)))) {
      if (token.used_unix !== null && token.used_unix + reuseGraceSeconds < now) {
        await deleteFamily(tx, found.grant.id, token.family)
        await recordAct(tx, copied(found))
      }
      return unauthorized('the refresh token was used already')
    }
    return issueTokens(services, tx, found, {
      family: token.family,
      nonce: token.nonce,
      authUnix: token.auth_unix,
      now,
    })
  })
  if (outcome instanceof BadRequest) throw outcome
  return outcome
}

/** Tokens for an account that may be used; a refusal for one that may not, which is no error of the transaction. */
export async function issueTokens(
  { config }: Services,
  tx: Tx,
  { grant, application, user }: Granted,
  {
    family,
    nonce,
    authUnix,
    now,
  }: Pick<IssuedTokens, 'nonce' | 'authUnix'> & { readonly family: string; readonly now: Unix },
): Promise<IssuedTokens | BadRequest> {
  if (user.prohibit_login || !user.is_active) return unauthorized('the account may not sign in')
  const { accessTokenExpirationTime, refreshTokenExpirationTime } = config.oauth2
  const [accessToken, refreshToken] = [newPrefixedToken(accessTokenPrefix), newPrefixedToken(refreshTokenPrefix)]
  const row = { grant_id: grant.id, family, nonce, auth_unix: authUnix, created_unix: now }
  await insertTokens(tx, [
    {
      ...row,
      is_refresh: false,
      token_hash: hashToken(accessToken),
      expires_unix: now + accessTokenExpirationTime,
    },
    {
      ...row,
      is_refresh: true,
      token_hash: hashToken(refreshToken),
      expires_unix: now + refreshTokenExpirationTime * 3600,
    },
  ])
  return {
    grant,
    application,
    user,
    accessToken,
    refreshToken,
    lifetimeSeconds: accessTokenExpirationTime,
    issuedUnix: now,
    nonce,
    authUnix,
  }
}

/** What an application may know of a token that it was issued; undefined for anything else, and what has ended. */
export async function introspect(
  { db, clock }: Services,
  application: OAuthApplicationRow,
  token: string,
): Promise<Granted | undefined> {
  const found = await findToken(db, hashToken(token))
  if (!found || found.application.id !== application.id || found.token.expires_unix <= nowUnix(clock)) return undefined
  if (found.token.used_unix !== null || found.user.prohibit_login || !found.user.is_active) return undefined
  return found
}

/**
 * Ends a token that the application gives back (RFC 7009): an access token by itself, a refresh token with all that came
 * of the same code. One that is not known, or another's, is no error.
 */
export async function revokeToken(services: Services, login: ClientLogin, token: string): Promise<void> {
  const application = await knownClient(services, login)
  await transaction(services.db, async (tx) => {
    const found = await findToken(tx, hashToken(token))
    if (!found || found.application.id !== application.id) return
    if (found.token.is_refresh) await deleteFamily(tx, found.grant.id, found.token.family)
    else await deleteToken(tx, found.token.id)
    await publish(tx, 'credential.ended', { userId: found.user.id, what: 'application' })
  })
}
