import type { Services } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { newGitKey } from '../git/git-key.ts'
import { Invalid } from '../lib/errors.ts'
import type { GitKey } from '../lib/ids.ts'
import { branchOf } from '../lib/refs.ts'
import type { RemoteAddress } from '../repos/mirrors/remote-address.rules.ts'
import { fetchFrom, lookAtRemote } from '../repos/mirrors/remote-repository.service.ts'
import { insertPacks } from '../refs/changes/pack.store.ts'
import { upsertRefs } from '../refs/changes/ref.store.ts'
import { findRepoById, updateRepo } from '../repos/repo.store.ts'

/** Returns the address of a repository's wiki, which is the same on all common servers. */
export const wikiAddressOf = ({ url, credentials }: RemoteAddress): RemoteAddress => ({
  url: `${url.replace(/\.git$/, '')}.wiki.git`,
  credentials,
})

/** The references of a wiki that are fetched. */
const wikiRefspecs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']

/** Returns whether an error means that the wiki does not exist: most servers do not distinguish it from an unreadable one. */
const isNoWiki = (error: unknown): boolean =>
  error instanceof Invalid &&
  ['remote_not_found', 'remote_unauthenticated', 'remote_no_repository'].includes(error.code)

/**
 * Fetches the wiki of a repository of another server into a repository without a wiki. It publishes no events, so the
 * repository must not be visible yet.
 * @returns false when the other server has no wiki
 * @throws Invalid when an existing wiki cannot be fetched
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
    const refs = await git.readRefs(key)
    const packs = await git.keepObjects(key)
    await transaction(db, async (tx) => {
      if ((await findRepoById(tx, repo.id))?.wiki_git_key !== null) throw new Error('the wiki exists already')
      await updateRepo(tx, repo.id, { wiki_git_key: key, wiki_branch: branch })
      await upsertRefs(tx, { repoId: repo.id, kind: 'wiki' }, refs)
      await insertPacks(tx, { repoId: repo.id, kind: 'wiki', gitKey: key }, packs)
    })
    return true
  } catch (error) {
    await git.remove(key)
    throw error
  }
}

/** Returns the other server's default branch, else `main`, `master` or the first one; undefined without branches. */
async function branchOfWiki({ git }: Services, key: GitKey, wanted: string | undefined): Promise<string | undefined> {
  const names = (await git.readRefs(key, 'refs/heads/')).flatMap(({ name }) => branchOf(name) ?? [])
  return [wanted, 'main', 'master'].find((name) => name !== undefined && names.includes(name)) ?? names[0]
}
