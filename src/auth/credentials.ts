import type { Call, CredentialKind } from '../http/operation.ts'
import { Unauthenticated } from '../lib/errors.ts'
import type { AuthServices } from './auth-services.ts'
import type { Viewer } from './viewer.ts'

/** The credential in the `Authorization` header or in the deprecated query parameters, parsed once. */
export type Presented =
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'basic'; readonly login: string; readonly password: string }

/** The account and object that a credential authenticates. */
export interface Identity {
  /** The account that makes the request; undefined for other actors such as a runner. */
  readonly viewer: Viewer | undefined
  /** Data of the feature that owns the credential, in a class that its requirements recognize. */
  readonly principal?: object
}

/** Authenticates one kind of credential. Features contribute their own (`Feature.credentials`). */
export interface CredentialReader {
  readonly kind: CredentialKind
  /**
   * @returns undefined when the request has no such credential, or one that may be of another kind
   * @throws a refusal when the credential is of this kind and invalid
   */
  readonly read: (
    services: AuthServices,
    call: Call,
    presented: Presented,
  ) => Identity | undefined | Promise<Identity | undefined>
}

/** Longest header value that is parsed, in characters. A longer value is malformed, not absent. */
const maxCredentialLength = 4096

/**
 * Returns the credential of a request: `token` in lower case, `Bearer` and `Basic` in any case, or the deprecated query
 * parameters. Other schemes and a scheme without a value count as no credential; a malformed Basic value is refused
 * (observed).
 */
export function presentedBy(
  call: Pick<Call, 'headers' | 'rawQuery'>,
  settings: { readonly disableQueryAuthToken: boolean },
): Presented {
  const header = call.headers['authorization']
  if (typeof header === 'string') {
    if (header.length > maxCredentialLength) throw malformed()
    const [, scheme = '', value = ''] = /^(\S+) +(\S.*)$/.exec(header) ?? []
    if (value !== '' && (scheme === 'token' || scheme.toLowerCase() === 'bearer')) {
      return { kind: 'bearer', token: value.trim() }
    }
    if (value !== '' && scheme.toLowerCase() === 'basic') {
      const text = Buffer.from(value, 'base64').toString('utf8')
      const colon = text.indexOf(':')
      if (colon < 0 || text.includes('\0')) {
        throw malformed()
      }
      return { kind: 'basic', login: text.slice(0, colon), password: text.slice(colon + 1) }
    }
  }
  if (settings.disableQueryAuthToken) return { kind: 'none' }
  const token = call.rawQuery.get('token') || call.rawQuery.get('access_token')
  return token ? { kind: 'bearer', token } : { kind: 'none' }
}

const malformed = () => new Unauthenticated('the credentials are malformed', 'credentials_malformed')

/**
 * Returns a possible token: a bearer token, or the name or password of Basic authentication, where git clients put it.
 */
export function tokenIn(presented: Presented): string | undefined {
  if (presented.kind === 'none') return undefined
  if (presented.kind === 'bearer') return presented.token
  const { login, password } = presented
  return password === '' || password === 'x-oauth-basic' ? login : password
}
