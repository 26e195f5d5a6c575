import type { Services } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { newGitKey } from '../git/git-key.ts'
import { Invalid } from '../lib/errors.ts'
import type { GitKey } from '../lib/ids.ts'
import { branchOf } from '../lib/refs.ts'
import type { RemoteAddress } from '../repos/mirrors/remote-address.rules.ts'
import { fetchFrom, lookAtRemote } from '../repos/mirrors/remote-repository.service.ts'
import { findRepoById, updateRepo } from '../repos/repo.store.ts'

/** Where servers of all kinds keep the wiki of a repository. */
export const wikiAddressOf = ({ url, credentials }: RemoteAddress): RemoteAddress => ({
  url: `${url.replace(/\.git$/, '')}.wiki.git`,
  credentials,
})

/** References of a wiki that come along. */
const wikiRefspecs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']

/** What a server says of a wiki that is not there: most do not tell it from one that may not be read. */
const isNoWiki = (error: unknown): boolean =>
  error instanceof Invalid &&
  ['remote_not_found', 'remote_unauthenticated', 'remote_no_repository'].includes(error.code)

/**
 * Fetches the wiki of a repository of another server for one of here that has none yet. Nobody may see the repository
 * meanwhile, since nothing is told of it.
 * @returns false when there is no wiki over there. What goes wrong with one that is there is `Invalid`.
 */
export async function takeRemoteWiki(
  services: Services,
  repo: RepoRow,
  remote: RemoteAddress,
  signal: AbortSignal,
): Promise<boolean> {
  if (repo.wiki_git_key !== null) return true
  const { config, db, git } = services
  const found = await lookAtRemote(services, wikiAddressOf(remote), signal).catch((error: unknown) => {
    if (isNoWiki(error)) return undefined
    throw error
  })
  if (!found || found.objectFormat !== repo.object_format) return false
  const key = newGitKey()
  await git.create(key, { defaultBranch: repo.wiki_branch, objectFormat: repo.object_format })
  try {
    await fetchFrom(services, key, found, {
      refspecs: wikiRefspecs,
      into: 'new',
      timeoutMs: config.gitTimeout.migrate * 1000,
      signal,
    })
    const branch = await branchOfWiki(services, key, found.defaultBranch)
    if (branch === undefined) {
      await git.remove(key)
      return false
    }
    await git.setHead(key, branch)
    await transaction(db, async (tx) => {
      if ((await findRepoById(tx, repo.id))?.wiki_git_key !== null) throw new Error('the wiki is there already')
      await updateRepo(tx, repo.id, { wiki_git_key: key, wiki_branch: branch })
    })
    return true
  } catch (error) {
    await git.remove(key)
    throw error
  }
}

/** The branch the other server names, else `main`, `master` or the first one; undefined for a wiki without pages. */
async function branchOfWiki({ git }: Services, key: GitKey, wanted: string | undefined): Promise<string | undefined> {
  const names = (await git.readRefs(key, 'refs/heads/')).flatMap(({ name }) => branchOf(name) ?? [])
  return [wanted, 'main', 'master'].find((name) => name !== undefined && names.includes(name)) ?? names[0]
}
