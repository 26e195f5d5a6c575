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

/** The credentials of an application. */
export interface ClientLogin {
  readonly clientId: string
  readonly secret: string | undefined
}

/** Issued tokens. Only their hashes are stored. */
export interface IssuedTokens extends Granted {
  readonly accessToken: string
  readonly refreshToken: string
  readonly lifetimeSeconds: number
  readonly issuedUnix: Unix
  /** The nonce of the authorization request for the identity token, or an empty string. */
  readonly nonce: string
  /** The time of the person's sign-in; null when unknown. */
  readonly authUnix: Unix | null
}

/** Errors of the protocol (RFC 6749, 5.2). The contract determines which one applies (contract, auth). */
const invalidClient = () => new BadRequest('the client does not exist', 'invalid_client')
const unauthorized = (why: string) => new BadRequest(why, 'unauthorized_client')
const invalidGrant = (why: string) => new BadRequest(why, 'invalid_grant')

/** Returns the application of client credentials. A confidential one needs its secret. Throws `BadRequest`. */
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

/** Returns the application of client credentials with a valid secret. Throws `Unauthenticated`. */
export async function clientWithSecret(services: Services, login: ClientLogin): Promise<OAuthApplicationRow> {
  const application = await findClient(services, login.clientId)
  if (!application || !equalSecrets(hashToken(login.secret ?? ''), application.secret_hash)) {
    throw new Unauthenticated('the client credentials are wrong', 'invalid_client')
  }
  return application
}

function verifiesChallenge(method: string, challenge: string, verifier: string | undefined): boolean {
  if (challenge === '') return true
  if (verifier === undefined || !/^[\w.~-]{43,128}$/.test(verifier)) return false
  const answer = method === 'S256' ? createHash('sha256').update(verifier).digest('base64url') : verifier
  return equalSecrets(answer, challenge)
}

/**
 * Exchanges a code for tokens. The request is checked before the code is marked as used, so that a wrong request does not
 * spend it. A second use means that the code was copied, and revokes its tokens (RFC 6749, 4.1.2).
 * @param sent.redirectUri when given, the address to which the code was sent
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
    if (!found || found.code.expires_unix <= now) return unauthorized('the code is unknown or has expired')
    const { code, grant } = found
    if (found.application.id !== application.id) return invalidGrant('the code was issued to another client')
    if (sent.redirectUri !== undefined && sent.redirectUri !== code.redirect_uri) {
      return unauthorized('the code was sent to another address')
    }
    if (!verifiesChallenge(code.challenge_method, code.challenge, sent.verifier)) {
      return unauthorized('the code verifier does not match the challenge')
    }
    if (!(await useCode(tx, code.id, now))) {
      await deleteFamily(tx, grant.id, `code ${code.id}`)
      await recordAct(tx, copiedGrant(found))
      return unauthorized('the code was used before')
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

/** Returns the audit entry for a code or refresh token that was used twice. */
const copiedGrant = ({ application, user }: Granted): Act => ({
  action: 'grant.copied',
  outcome: 'refused',
  doerId: user.id,
  about: { kind: 'application', id: application.id, name: application.name },
})

/** The time after its use in which the reuse of a refresh token does not revoke its family, in seconds. */
const reuseGraceSeconds = 10

/**
 * Exchanges a refresh token for new tokens and marks it as used. A later reuse means that the token was copied, and revokes
 * its family (RFC 9700, 4.14.2). Concurrent requests of a client are only refused. Without
 * `[oauth2].INVALIDATE_REFRESH_TOKENS` the tokens of confidential clients can be used again.
 */
export async function refresh(services: Services, login: ClientLogin, refreshToken: string): Promise<IssuedTokens> {
  const application = await knownClient(services, login)
  const now = nowUnix(services.clock)
  const spends = services.config.oauth2.invalidateRefreshTokens || !application.is_confidential
  const outcome = await transaction(services.db, async (tx) => {
    const found = await findToken(tx, hashToken(refreshToken))
    const token = found?.token
    if (!found || !token?.is_refresh || token.expires_unix <= now || found.application.id !== application.id) {
      return unauthorized('the refresh token is unknown or has expired')
    }
    if (token.used_unix !== null || (spends && !(await useRefreshToken(tx, token.id, now)))) {
      if (token.used_unix !== null && token.used_unix + reuseGraceSeconds < now) {
        await deleteFamily(tx, found.grant.id, token.family)
        await recordAct(tx, copiedGrant(found))
      }
      return unauthorized('the refresh token was used before')
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

/** Issues tokens. Returns the refusal for an account that must not sign in, so that the transaction commits. */
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
  if (user.prohibit_login || !user.is_active) return unauthorized('the account must not sign in')
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

/** Returns the grant of a valid token of the application; undefined for any other text. */
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
 * Revokes a token of the application (RFC 7009): an access token alone, a refresh token with its family. An unknown token,
 * or one of another application, is not an error.
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
