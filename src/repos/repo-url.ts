import type { Config } from '../config/load-config.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { RepoRow } from '../db/tables/repositories.ts'

/** A repository, its owner and the instance's URL. A `RepoCtx` satisfies it. */
export interface RepoAddress {
  readonly config: Pick<Config, 'server' | 'repository'>
  readonly owner: Pick<UserRow, 'name'>
  readonly repo: Pick<RepoRow, 'name'>
}

/** `owner/name`. Neither needs escaping in a URL. */
export const repoFullName = ({ owner, repo }: Omit<RepoAddress, 'config'>): string => `${owner.name}/${repo.name}`

/** URL of a repository's page, without a final slash. */
export const repoWebUrl = ({ config, owner, repo }: RepoAddress): string =>
  `${config.server.rootUrl}${owner.name}/${repo.name}`

/** URL of a repository in the API, without a final slash. */
export const repoApiUrl = ({ config, owner, repo }: RepoAddress): string =>
  `${config.server.rootUrl}api/v1/repos/${owner.name}/${repo.name}`

/** URL for clones over HTTP. */
export const repoCloneUrl = (address: RepoAddress): string => `${repoWebUrl(address)}.git`

/**
 * URL for clones over SSH: `ssh://user@host:port/owner/name.git`, or `user@host:owner/name.git` for port 22 without
 * `USE_COMPAT_SSH_URI`.
 */
export function repoSshUrl({ config, owner, repo }: RepoAddress): string {
  const { sshUser, sshDomain, sshPort } = config.server
  const host = sshDomain.includes(':') ? `[${sshDomain}]` : sshDomain
  const path = `${owner.name}/${repo.name}.git`
  if (sshPort !== 22) return `ssh://${sshUser}@${host}:${sshPort}/${path}`
  return config.repository.useCompatSshUri ? `ssh://${sshUser}@${host}/${path}` : `${sshUser}@${host}:${path}`
}
