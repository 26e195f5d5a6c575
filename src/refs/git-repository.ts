import type { RepoRow } from '../db/tables/repositories.ts'
import type { ObjectFormat } from '../git/git.ts'
import type { GitKey, RepoId } from '../lib/ids.ts'

/** The git repository of a repository's code or of its wiki. */
export interface GitRepository {
  readonly repoId: RepoId
  readonly kind: 'code' | 'wiki'
  readonly gitKey: GitKey
  readonly objectFormat: ObjectFormat
}

export const codeOf = (repo: Pick<RepoRow, 'id' | 'git_key' | 'object_format'>): GitRepository => ({
  repoId: repo.id,
  kind: 'code',
  gitKey: repo.git_key,
  objectFormat: repo.object_format,
})

/** A wiki has the object format of the code. */
export const wikiOf = (repo: Pick<RepoRow, 'id' | 'object_format'>, gitKey: GitKey): GitRepository => ({
  repoId: repo.id,
  kind: 'wiki',
  gitKey,
  objectFormat: repo.object_format,
})

/** The git repositories of a repository: that of its code, and that of its wiki if there is one. */
export const gitRepositoriesOf = (
  repo: Pick<RepoRow, 'id' | 'git_key' | 'wiki_git_key' | 'object_format'>,
): readonly GitRepository[] => [codeOf(repo), ...(repo.wiki_git_key === null ? [] : [wikiOf(repo, repo.wiki_git_key)])]
