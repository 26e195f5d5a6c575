import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AuthServices } from '../../auth/auth-services.ts'
import { JobPrincipal, jobTokens, viewerOfTask } from '../../actions/runners/job.credentials.ts'
import { findRunningTask } from '../../actions/runners/job-token.store.ts'
import { accessTokens } from '../../auth/identify.ts'
import type { CredentialReader } from '../../auth/credentials.ts'
import { parseScopes } from '../../auth/token-scopes.ts'
import { viewerOf, type Viewer } from '../../auth/viewer.ts'
import type { TaskId, TokenId, UserId } from '../../lib/ids.ts'
import { Unauthenticated } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { findTokenById, findUserOfToken } from './registry-token.store.ts'

/** Lifetime of a registry token in seconds. */
export const registryTokenSeconds = 24 * 3600

/** Longest registry token in characters. */
const maxLength = 2048

/**
 * The principal of a registry token. The token is checked on each request: it ends with the access token or password it
 * was
 * issued for, and has the same rights.
 */
export class RegistryToken {
  /** The account; 0 is a guest. */
  constructor(readonly userId: UserId | 0) {}
}

interface Claims {
  /** The account; 0 is a guest. */
  readonly sub: UserId | 0
  /** The access token it was issued for; 0 for a password. */
  readonly tok: TokenId | 0
  /** A digest of the password hash it was issued for. */
  readonly pwd: string
  /** The workflow task whose token it was issued for. */
  readonly job?: TaskId
  readonly exp: number
}

const header = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT' })).toString('base64url')

const hmac = ({ secrets }: AuthServices, text: string): Buffer =>
  createHmac('sha256', secrets.deriveKey('package-registry-token', 32)).update(text).digest()

const passwordMark = (services: AuthServices, hash: string | null): string =>
  hmac(services, `password ${hash ?? ''}`)
    .toString('base64url')
    .slice(0, 16)

/**
 * Returns a registry token (JSON Web Token, RFC 7519, HS256) for a signed-in caller or a guest.
 * @param principal the principal of the caller's credential
 */
export function writeRegistryToken(services: AuthServices, viewer: Viewer | undefined, principal?: object): string {
  const exp = nowUnix(services.clock) + registryTokenSeconds
  const body = Buffer.from(JSON.stringify({ ...claimsOf(services, viewer, principal), exp })).toString('base64url')
  const signed = `${header}.${body}`
  return `${signed}.${hmac(services, signed).toString('base64url')}`
}

/** Returns the claims for a credential; other kinds of credentials get a guest token. */
function claimsOf(
  services: AuthServices,
  viewer: Viewer | undefined,
  principal: object | undefined,
): Omit<Claims, 'exp'> {
  const { credential } = viewer ?? {}
  if (viewer && principal instanceof JobPrincipal) {
    return { sub: viewer.id, tok: 0, pwd: '', job: principal.task.taskId }
  }
  if (viewer && credential?.kind === 'token' && !credential.isOAuth) {
    return { sub: viewer.id, tok: credential.tokenId as TokenId, pwd: '' }
  }
  if (viewer && credential?.kind === 'password') {
    return { sub: viewer.id, tok: 0, pwd: passwordMark(services, viewer.user.password_hash) }
  }
  return { sub: 0, tok: 0, pwd: '' }
}

function readClaims(services: AuthServices, text: string): Claims | undefined {
  const [head, body, signature, rest] = text.length > maxLength ? [] : text.split('.')
  // The header must be ours byte for byte, so a token cannot choose another algorithm.
  if (head !== header || body === undefined || signature === undefined || rest !== undefined) return undefined
  const given = Buffer.from(signature, 'base64url')
  const right = hmac(services, `${head}.${body}`)
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
  // The signature is ours, so the body has the form that `claimsOf` returns.
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Claims
  return claims.exp > nowUnix(services.clock) ? claims : undefined
}

const ended = () =>
  new Unauthenticated('the registry token has expired or was revoked; sign in again', 'registry_token_ended')

async function viewerOfClaims(services: AuthServices, { sub, tok, pwd, job }: Claims): Promise<Viewer | undefined> {
  if (sub === 0) return undefined
  if (job !== undefined) {
    const task = await findRunningTask(services.db, job)
    if (!task) throw ended()
    return viewerOfTask(services, task)
  }
  const user = await findUserOfToken(services.db, sub)
  if (!user) throw ended()
  if (tok === 0) {
    if (pwd !== passwordMark(services, user.password_hash)) throw ended()
    return viewerOf(user, { kind: 'password' })
  }
  const token = await findTokenById(services.db, sub, tok)
  if (!token) throw ended()
  services.tokenUse.note(token.id)
  return viewerOf(user, {
    kind: 'token',
    tokenId: token.id,
    isOAuth: false,
    scopes: parseScopes(token.scopes),
    basic: false,
  })
}

/** Longest key in a header, in characters. */
const maxKeyLength = 256

/** Reads an access token where some clients send it: NuGet in its own header, gem and cargo without a scheme. */
function bareToken(headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined {
  const key = headers['x-nuget-apikey'] ?? headers['authorization']
  return typeof key === 'string' && key.length <= maxKeyLength && /^\S+$/.test(key) ? key : undefined
}

/** Credentials that only registries accept. */
export const registryCredentials: CredentialReader = {
  kind: 'registry',
  async read(services, call, presented) {
    const claims = presented.kind === 'bearer' ? readClaims(services, presented.token) : undefined
    if (claims) return { viewer: await viewerOfClaims(services, claims), principal: new RegistryToken(claims.sub) }
    const token = presented.kind === 'none' ? bareToken(call.headers) : undefined
    if (token === undefined) return undefined
    const bearer = { kind: 'bearer', token } as const
    const found = (await accessTokens.read(services, call, bearer)) ?? (await jobTokens.read(services, call, bearer))
    if (!found) throw new Unauthenticated('the credentials are wrong', 'credentials_wrong')
    return found
  },
}
