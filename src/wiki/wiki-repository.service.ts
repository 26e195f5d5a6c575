import type { Services } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { newGitKey } from '../git/git-key.ts'
import { NotFound } from '../lib/errors.ts'
import type { GitKey } from '../lib/ids.ts'
import { branchRef } from '../lib/refs.ts'
import { findRepoById } from '../repos/repo.store.ts'
import type { WikiState } from './page-history.service.ts'
import { updateWikiGitKey } from './wiki-repository.store.ts'

/**
 * Returns the git repository of a wiki, which the first change or push creates. The caller checks the right to write. A crash
 * between the two steps leaves an empty repository without an owner, which `ingot doctor` removes.
 */
export async function getOrCreateWiki(services: Services, repo: RepoRow): Promise<GitKey> {
  if (repo.wiki_git_key !== null) return repo.wiki_git_key
  const { db, git } = services
  const made = newGitKey()
  await git.create(made, { defaultBranch: repo.wiki_branch, objectFormat: repo.object_format })
  if (await transaction(db, (tx) => updateWikiGitKey(tx, repo.id, made))) return made
  // A concurrent request created the wiki, or the repository was deleted.
  await git.remove(made)
  const present = (await findRepoById(db, repo.id))?.wiki_git_key
  if (!present) throw new NotFound('the repository does not exist: not found')
  return present
}

/** Returns the current wiki; undefined before its first page. */
export async function wikiOfRepo({ git }: Services, repo: RepoRow): Promise<WikiState | undefined> {
  const gitKey = repo.wiki_git_key
  const head = gitKey === null ? undefined : await git.readRef(gitKey, branchRef(repo.wiki_branch))
  return gitKey === null || head === undefined ? undefined : { repoId: repo.id, gitKey, head }
}
