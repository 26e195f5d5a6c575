import { basicAuthorization } from '../../repos/mirrors/remote-address.rules.ts'
import { giteaSource } from './gitea-source.ts'
import { githubSource } from './github-source.ts'
import { gitlabSource } from './gitlab-source.ts'
import { SourceClient, type SourceClientOptions } from './source-client.ts'
import { SourceProblem } from './source-problem.ts'
import type { Source } from './source.ts'

/** What opens the other server; a token goes before a name and a password. */
export interface SourceCredentials {
  readonly username: string
  readonly password: string
  readonly token: string
}

/** Kinds of servers whose APIs are read. */
export const sourceKinds = ['gitea', 'forgejo', 'gogs', 'github', 'gitlab'] as const
export type SourceKind = (typeof sourceKinds)[number]

export const isSourceKind = (kind: string): kind is SourceKind => (sourceKinds as readonly string[]).includes(kind)

/** Hosts of GitHub's own service, whose API lies elsewhere. */
const githubHosts = ['github.com', 'www.github.com']

/** Where the repository of an address is: the server, what its paths begin with, and the names. Throws `SourceProblem`. */
function placeOf(address: string): { origin: string; prefix: string; owner: string; name: string; path: string } {
  const url = new URL(address)
  const segments = url.pathname
    .replace(/\.git$/, '')
    .split('/')
    .filter((segment) => segment !== '')
    .map(decoded)
  const [owner, name] = segments.slice(-2)
  if (owner === undefined || name === undefined) throw new SourceProblem('the address names no owner and repository')
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
    throw new SourceProblem('the address is not escaped well', { cause: error })
  }
}

/** Opens the API of the server of an address. Nothing is asked yet. */
export function openSource(
  kind: SourceKind,
  address: string,
  credentials: SourceCredentials | undefined,
  options: Omit<SourceClientOptions, 'root' | 'headers'>,
): Source {
  const { origin, prefix, owner, name, path } = placeOf(address)
  const { token = '', username = '', password = '' } = credentials ?? {}
  const isGitea = kind === 'gitea' || kind === 'forgejo' || kind === 'gogs'
  const word = isGitea ? 'token' : 'Bearer'
  const basic = username === '' && password === '' ? undefined : basicAuthorization({ username, password })
  const authorization = token === '' ? basic : `${word} ${token}`
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
