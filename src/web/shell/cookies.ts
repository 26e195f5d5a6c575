import type { NewSession } from '../../auth/session.service.ts'
import type { Config } from '../../config/load-config.ts'
import { newSecret } from '../../secrets/tokens.ts'
import { csrfName } from '../ui/page-context.ts'

/** Returns the cookies of a request by name; the first of a name counts. */
export function readCookies(header: string | string[] | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>()
  for (const pair of String(header ?? '').split(';')) {
    const [name = '', ...value] = pair.split('=')
    if (!cookies.has(name.trim())) cookies.set(name.trim(), value.join('=').trim())
  }
  return cookies
}

/** Name of the cookie with the language that was chosen in this browser. */
export const languageCookie = ({ session }: Pick<Config, 'session'>): string => `${session.cookieName}_language`

/** Name of the cookie with the ticket of a pending second factor. */
export const ticketCookie = ({ session }: Pick<Config, 'session'>): string => `${session.cookieName}_second_factor`

/** Name of the cookie with content that the next page shows once. */
export const onceCookie = ({ session }: Pick<Config, 'session'>): string => `${session.cookieName}_once`

/** Name of the cookie with the state of a sign-in at a provider. */
export const awayCookie = ({ session }: Pick<Config, 'session'>): string => `${session.cookieName}_away`

/** Name of the cookie with a provider's person who must choose an account. */
export const newcomerCookie = ({ session }: Pick<Config, 'session'>): string => `${session.cookieName}_newcomer`

/**
 * Headers of a reply that ends a session: the browser forgets the pages and files that it kept, and texts that were not sent, which the
 * next person could read.
 */
export const forgetHeaders = { 'clear-site-data': '"cache", "storage"' } as const

/** Returns a cookie that browsers send with navigations from other sites, unlike a strict one. */
export const cookieFromElsewhere = (config: Config, name: string, value: string, maxAgeSeconds: number): string =>
  cookie({ ...config, session: { ...config.session, sameSite: 'lax' } }, name, value, maxAgeSeconds)

/** Returns the cookies of a new session. The session cookie ends with the browser; the remember cookie survives it. */
export const sessionCookies = (config: Config, { secret, remember }: NewSession): string[] => [
  cookie(config, config.session.cookieName, secret),
  cookie(config, config.security.cookieRememberName, remember?.secret ?? '', remember?.seconds),
]

/** Returns the cookies of a sign-in: a new session, and a new value for forms, so that a value from before is worthless. */
export const signInCookies = (config: Config, session: NewSession): string[] => [
  ...sessionCookies(config, session),
  cookie(config, csrfName, newSecret()),
]

/** Returns the cookies that delete the session and renew the value for forms. */
export const noSessionCookies = (config: Config): string[] => [
  cookie(config, csrfName, newSecret()),
  cookie(config, config.session.cookieName, ''),
  cookie(config, config.security.cookieRememberName, ''),
]

/** Returns a cookie for this site that scripts cannot read. An empty value deletes it. */
export function cookie(config: Config, name: string, value: string, maxAgeSeconds?: number): string {
  const { session, server } = config
  const age = value === '' ? 0 : maxAgeSeconds
  return [
    `${name}=${value}`,
    `Path=${server.subPath === '' ? '/' : server.subPath}`,
    'HttpOnly',
    `SameSite=${session.sameSite[0]?.toUpperCase()}${session.sameSite.slice(1)}`,
    ...(session.cookieSecure ? ['Secure'] : []),
    ...(session.domain === '' ? [] : [`Domain=${session.domain}`]),
    ...(age === undefined ? [] : [`Max-Age=${age}`]),
  ].join('; ')
}
