import type { NewSession } from '../../auth/session.service.ts'
import type { Config } from '../../config/load-config.ts'

/** Cookies of a request by name; of several with one name the first counts. */
export function readCookies(header: string | string[] | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>()
  for (const pair of String(header ?? '').split(';')) {
    const [name = '', ...value] = pair.split('=')
    if (!cookies.has(name.trim())) cookies.set(name.trim(), value.join('=').trim())
  }
  return cookies
}

/** Name of the cookie that says that the password was right, until the code of the second factor is given. */
export const ticketCookie = ({ session }: Pick<Config, 'session'>): string => `${session.cookieName}_second_factor`

/** Name of the cookie that carries what the next page shows once. */
export const onceCookie = ({ session }: Pick<Config, 'session'>): string => `${session.cookieName}_once`

/** Name of the cookie that keeps what belongs to a sign-in at another place, until the browser comes back from there. */
export const awayCookie = ({ session }: Pick<Config, 'session'>): string => `${session.cookieName}_away`

/** Name of the cookie that says who came from another place and has to say which account is theirs. */
export const newcomerCookie = ({ session }: Pick<Config, 'session'>): string => `${session.cookieName}_newcomer`

/** A cookie that comes along when another site leads here, which a strict one would not. */
export const cookieFromElsewhere = (config: Config, name: string, value: string, maxAgeSeconds: number): string =>
  cookie({ ...config, session: { ...config.session, sameSite: 'lax' } }, name, value, maxAgeSeconds)

/** The cookies of a browser that was just signed in. What it stays signed in by outlives the browser, the session does not. */
export const sessionCookies = (config: Config, { secret, remember }: NewSession): string[] => [
  cookie(config, config.session.cookieName, secret),
  cookie(config, config.security.cookieRememberName, remember?.secret ?? '', remember?.seconds),
]

/** What takes these cookies away again. */
export const noSessionCookies = (config: Config): string[] => [
  cookie(config, config.session.cookieName, ''),
  cookie(config, config.security.cookieRememberName, ''),
]

/** A cookie that scripts of a page cannot read, for this site alone. An empty value deletes it. */
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
