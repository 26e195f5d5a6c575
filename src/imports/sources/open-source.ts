import { basicAuthorization } from '../../repos/mirrors/remote-address.rules.ts'
import { giteaSource } from './gitea-source.ts'
import { githubSource } from './github-source.ts'
import { gitlabSource } from './gitlab-source.ts'
import { SourceClient, type SourceClientOptions } from './source-client.ts'
import { SourceProblem } from './source-problem.ts'
import type { Source } from './source.ts'

/** Credentials for the source server; a token takes precedence. */
export interface SourceCredentials {
  readonly username: string
  readonly password: string
  readonly token: string
}

/** Kinds of source servers with an API reader. */
export const sourceKinds = ['gitea', 'forgejo', 'gogs', 'github', 'gitlab'] as const
export type SourceKind = (typeof sourceKinds)[number]

export const isSourceKind = (kind: string): kind is SourceKind => (sourceKinds as readonly string[]).includes(kind)

/** Hosts of github.com, whose API is on another host. */
const githubHosts = ['github.com', 'www.github.com']

/** Splits the address of a repository into server, path prefix and names. Throws `SourceProblem`. */
function splitAddress(address: string): { origin: string; prefix: string; owner: string; name: string; path: string } {
  const url = new URL(address)
  const segments = url.pathname
    .replace(/\.git$/, '')
    .split('/')
    .filter((segment) => segment !== '')
    .map(decoded)
  const [owner, name] = segments.slice(-2)
  if (owner === undefined || name === undefined) {
    throw new SourceProblem('the address must name an owner and a repository')
  }
  const prefix = segments
    .slice(0, -2)
    .map((segment) => `/${encodeURIComponent(segment)}`)
    .join('')
  return { origin: url.origin, prefix, owner, name, path: segments.join('/') }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch (error) {
    throw new SourceProblem('the address has a malformed escape', { cause: error })
  }
}

/** Creates the reader for the server of an address, without a request. */
export function openSource(
  kind: SourceKind,
  address: string,
  credentials: SourceCredentials | undefined,
  options: Omit<SourceClientOptions, 'root' | 'headers'>,
): Source {
  const { origin, prefix, owner, name, path } = splitAddress(address)
  const { token = '', username = '', password = '' } = credentials ?? {}
  const isGitea = kind === 'gitea' || kind === 'forgejo' || kind === 'gogs'
  const scheme = isGitea ? 'token' : 'Bearer'
  const basic = username === '' && password === '' ? undefined : basicAuthorization({ username, password })
  const authorization = token === '' ? basic : `${scheme} ${token}`
  const headers = { accept: 'application/json', ...(authorization === undefined ? {} : { authorization }) }
  if (isGitea) {
    return giteaSource(new SourceClient({ ...options, root: `${origin}${prefix}/api/v1`, headers }), owner, name)
  }
  if (kind === 'github') {
    const root = githubHosts.includes(new URL(origin).hostname) ? 'https://api.github.com' : `${origin}/api/v3`
    const versioned = { ...headers, accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }
    return githubSource(new SourceClient({ ...options, root, headers: versioned }), owner, name)
  }
  return gitlabSource(new SourceClient({ ...options, root: `${origin}/api/v4`, headers }), path)
}
