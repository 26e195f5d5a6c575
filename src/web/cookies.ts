import type { Config } from '../config/load-config.ts'

/** Cookies of a request by name; of several with one name the first counts. */
export function readCookies(header: string | string[] | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>()
  for (const pair of String(header ?? '').split(';')) {
    const [name = '', ...value] = pair.split('=')
    if (!cookies.has(name.trim())) cookies.set(name.trim(), value.join('=').trim())
  }
  return cookies
}

/** A cookie that scripts of a page can not read, for this site alone. An empty value deletes it. */
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
