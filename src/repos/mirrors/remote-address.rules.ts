import { trimTrailing } from '../../lib/trim-ends.ts'

/** Where a repository of another server lies, and what opens it. */
export interface RemoteAddress {
  /** http or https, without credentials, query, fragment or a slash at its end. */
  readonly url: string
  readonly credentials: RemoteCredentials | undefined
}

export interface RemoteCredentials {
  readonly username: string
  readonly password: string
}

/** The header's value that names them. */
export const basicAuthorization = ({ username, password }: RemoteCredentials): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** What a caller gives besides the address; empty texts count as absent. */
export interface GivenCredentials {
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly token?: string | undefined
}

/** Servers that take a token as the password want some name beside it, and most of them any. */
const nameBesideToken = 'oauth2'

/**
 * Reads the address of a repository to be copied. Credentials may stand in it (and are taken out) or beside it, which
 * goes first.
 * @returns a text that says why when it is no address that a copy can be made from
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

/** `person@host:path`, as git takes it beside addresses of SSH. */
const scpForm = /^(?<user>[^@:/\s]+)@(?<host>[^@:/\s]+|\[[^\]\s]+\]):(?<path>[^\s]+)$/

/** What a person and a host may be called: nothing that programs on the way take for an option or a quotation. */
const sshNameForm = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/
const sshHostForm = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])$/

/** Port of SSH where an address names none. */
const sshPort = 22

export interface SshAddress {
  /** `ssh://person@host[:port]/path`, whatever form it was given in. */
  readonly url: string
  readonly host: string
  readonly port: number
}

/**
 * Reads the address of a repository that is reached over SSH: `ssh://person@host[:port]/path` or `person@host:path`.
 * @returns a text that says why when it is none
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
  const place = url.port === '' ? url.hostname : `${url.hostname}:${port}`
  return { url: `ssh://${user}@${place}${url.pathname}`, host: url.hostname.replaceAll(/[[\]]/g, ''), port }
}
