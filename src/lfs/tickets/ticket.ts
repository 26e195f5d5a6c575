import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AuthServices } from '../../auth/auth-services.ts'
import type { KeyId, RepoId, UserId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'

/** Requested access to the objects of a repository. */
export type LfsOperation = 'download' | 'upload'

/** Proof of the SSH sign-in: a key, or a certificate with the fingerprint of its authority. */
export type TicketProof =
  | { readonly keyId: KeyId }
  | { readonly keyId?: undefined; readonly authority: string; readonly serial: string; readonly untilUnix: number }

/**
 * Represents an SSH key or certificate for a limited time in one repository, as issued by `git-lfs-authenticate`. Each
 * use checks the current rights of key and account. A certificate's ticket ends with the certificate.
 */
export class LfsTicket {
  constructor(
    readonly repoId: RepoId,
    readonly operation: LfsOperation,
    readonly proof: TicketProof,
    /** Account of the key or certificate; for a deploy key the owner of the repository. */
    readonly userId: UserId,
  ) {}
}

interface Claims {
  readonly repo: RepoId
  readonly op: LfsOperation
  readonly key?: KeyId
  /** Fingerprint of the certificate authority. */
  readonly ca?: string
  readonly serial?: string
  readonly user: UserId
  readonly nbf: number
  readonly exp: number
}

/** Longest accepted ticket, in characters. */
const maxTicketLength = 2048

const header = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT' })).toString('base64url')

function signatureOf({ config, secrets }: AuthServices, text: string): Buffer {
  const { lfsJwtSecret } = config.server
  const key = lfsJwtSecret === '' ? secrets.deriveKey('lfs-ticket', 32) : Buffer.from(lfsJwtSecret)
  return createHmac('sha256', key).update(text).digest()
}

/** Returns a ticket as a JSON Web Token (RFC 7519) signed with HS256, and its expiration in seconds. */
export function writeTicket(
  services: AuthServices,
  ticket: LfsTicket,
): { readonly text: string; readonly expiresUnix: number } {
  const nbf = nowUnix(services.clock)
  const latest = nbf + Math.ceil(services.config.server.lfsHttpAuthExpiry / 1000)
  const { repoId: repo, operation: op, proof, userId: user } = ticket
  const isKey = proof.keyId !== undefined
  const exp = isKey ? latest : Math.min(latest, proof.untilUnix)
  const by = isKey ? { key: proof.keyId } : { ca: proof.authority, serial: proof.serial }
  const claims: Claims = { repo, op, ...by, user, nbf, exp }
  const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  return { text: `${signed}.${signatureOf(services, signed).toString('base64url')}`, expiresUnix: exp }
}

/** Returns the ticket of a text; undefined for an invalid, forged or expired one. */
export function readTicket(services: AuthServices, text: string): LfsTicket | undefined {
  const [head, body, signature, rest] = text.length > maxTicketLength ? [] : text.split('.')
  // The header is compared, not parsed, so no other algorithm is accepted.
  if (head !== header || body === undefined || signature === undefined || rest !== undefined) return undefined
  const given = Buffer.from(signature, 'base64url')
  const right = signatureOf(services, `${head}.${body}`)
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
  // The signature is valid, so `writeTicket` wrote the body.
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Claims
  const now = nowUnix(services.clock)
  if (claims.exp <= now || claims.nbf > now) return undefined
  const { key, ca: authority = '', serial = '', exp: untilUnix } = claims
  const proof = key === undefined ? { authority, serial, untilUnix } : { keyId: key }
  return new LfsTicket(claims.repo, claims.op, proof, claims.user)
}
