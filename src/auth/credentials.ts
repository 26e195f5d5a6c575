import type { Call, CredentialKind } from '../http/operation.ts'
import { Unauthenticated } from '../lib/errors.ts'
import type { AuthServices } from './auth-services.ts'
import type { Viewer } from './viewer.ts'

/** What a request says in its `Authorization` header, or in the deprecated query parameters; taken apart once. */
export type Presented =
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'basic'; readonly login: string; readonly password: string }

/** Whom a credential stands for. */
export interface Identity {
  /** The account that asks; none where something else does, as a runner. */
  readonly viewer: Viewer | undefined
  /** What a feature knows of it beside: an object of a class of its own, by which its requirements tell it. */
  readonly principal?: object
}

/** Finds out whom one kind of credential stands for. A feature brings its own (`Feature.credentials`). */
export interface CredentialReader {
  readonly kind: CredentialKind
  /**
   * @returns undefined when the request carries no such credential, or one that may be of another kind
   * @throws a refusal for a credential that is surely of this kind and does not count
   */
  readonly read: (
    services: AuthServices,
    call: Call,
    presented: Presented,
  ) => Identity | undefined | Promise<Identity | undefined>
}

/** Longest header value that is looked at as a credential, in characters; a longer one is none of ours and not absent. */
const maxCredentialLength = 4096

/**
 * The credential of a request: `token` in lower case, `Bearer` and `Basic` in any, or the deprecated query parameters.
 * Other schemes and a word without a value count as none; a malformed Basic value is wrong (observed).
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

/** The text that may be a token: sent as such, or in the place of a name or a password, as git clients send it. */
export function tokenIn(presented: Presented): string | undefined {
  if (presented.kind === 'none') return undefined
  if (presented.kind === 'bearer') return presented.token
  const { login, password } = presented
  return password === '' || password === 'x-oauth-basic' ? login : password
}
