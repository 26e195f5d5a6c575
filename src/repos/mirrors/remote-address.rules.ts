import { trimTrailing } from '../../lib/trim-ends.ts'

/** URL and credentials of a repository on another server. */
export interface RemoteAddress {
  /** http or https, without credentials, query, fragment or a slash at its end. */
  readonly url: string
  readonly credentials: RemoteCredentials | undefined
}

export interface RemoteCredentials {
  readonly username: string
  readonly password: string
}

/** Returns the value of the `Authorization` header. */
export const basicAuthorization = ({ username, password }: RemoteCredentials): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** Credentials besides the URL. Empty texts count as absent. */
export interface GivenCredentials {
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly token?: string | undefined
}

/** User name for a token without one. Most servers accept a token as the password of any user name. */
const nameBesideToken = 'oauth2'

/**
 * Parses the URL of a source repository. The given credentials override those in the URL, which are removed.
 * @returns the reason as a text, if the URL cannot be used
 */
export function parseRemoteAddress(text: string, given: GivenCredentials): RemoteAddress | string {
  const url = URL.parse(text.trim())
  if (url === null) return 'the address is no URL'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'only http and https addresses can be copied from'
  if (url.search !== '') return 'the address has a query'
  if (/^\/*$/.test(url.pathname)) return 'the address names no repository'
  const credentials = credentialsOf(url, given)
  if (credentials === 'unreadable') return 'the credentials in the address are not escaped well'
  return { url: `${url.origin}${trimTrailing(url.pathname, '/')}`, credentials }
}

function credentialsOf(url: URL, given: GivenCredentials): RemoteCredentials | undefined | 'unreadable' {
  if (given.token) return { username: given.username || nameBesideToken, password: given.token }
  if (given.username || given.password) return { username: given.username ?? '', password: given.password ?? '' }
  if (url.username === '' && url.password === '') return undefined
  try {
    return { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) }
  } catch {
    return 'unreadable'
  }
}

/** `person@host:path`, git's short form of SSH URLs. */
const scpForm = /^(?<user>[^@:/\s]+)@(?<host>[^@:/\s]+|\[[^\]\s]+\]):(?<path>[^\s]+)$/

/** Allowed forms of user and host. SSH cannot read them as options, nor a shell as quotes. */
const sshNameForm = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/
const sshHostForm = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])$/

/** Default port of SSH. */
const sshPort = 22

export interface SshAddress {
  /** The URL in the form `ssh://person@host[:port]/path`. */
  readonly url: string
  readonly host: string
  readonly port: number
}

/**
 * Parses the URL of a repository over SSH: `ssh://person@host[:port]/path` or `person@host:path`.
 * @returns the reason as a text, if the URL is not one of SSH
 */
export function parseSshAddress(text: string): SshAddress | string {
  const scp = scpForm.exec(text.trim())?.groups
  const url = URL.parse(scp ? `ssh://${scp['user']}@${scp['host']}/${scp['path']}` : text.trim())
  if (url?.protocol !== 'ssh:') return 'the address is none of SSH, like ssh://git@host/owner/name.git'
  if (url.password !== '') return 'a key opens the repository, so the address has no password'
  if (url.search !== '' || url.hash !== '') return 'the address has a query or a fragment'
  if (/^\/*$/.test(url.pathname)) return 'the address names no repository'
  const user = url.username || 'git'
  if (!sshNameForm.test(user) || !sshHostForm.test(url.hostname)) return 'the person or the host is not written well'
  const port = url.port === '' ? sshPort : Number(url.port)
  const address = url.port === '' ? url.hostname : `${url.hostname}:${port}`
  return { url: `ssh://${user}@${address}${url.pathname}`, host: url.hostname.replaceAll(/[[\]]/g, ''), port }
}
