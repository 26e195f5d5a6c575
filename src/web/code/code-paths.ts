import type { RepoCtx } from '../../access/context.ts'
import type { NamedCommit } from '../../code/commits/named-commit.service.ts'
import { atWebAddress, type RevisionAndPath } from '../../code/git-access.requirements.ts'
import { Moved } from '../../lib/errors.ts'
import { pathOf } from '../ui/paths.ts'

/** The names that make the address of a repository. */
export interface RepositoryNames {
  readonly owner: { readonly name: string }
  readonly repo: { readonly name: string }
}

/** Pages of a revision and a path. */
export type RevisionPage = 'src' | 'raw' | 'media' | 'blame' | 'commits' | 'find' | 'find-list'

/** Returns the path of something of a repository. */
export const repositoryPath = (repository: RepositoryNames, ...parts: readonly (string | number)[]): string =>
  pathOf(repository.owner.name, repository.repo.name, ...parts)

/** Returns the path of a page about a path of a revision. */
export const revisionPath = (
  repository: RepositoryNames,
  page: RevisionPage,
  revision: Pick<NamedCommit, 'kind' | 'name'>,
  path = '',
): string => repositoryPath(repository, page, revision.kind, revision.name, path)

/** Returns the path of the feed of a branch, or of a file or folder of it. */
export const branchFeedPath = (place: RepositoryNames, branch: string, path = ''): string =>
  repositoryPath(place, 'atom', 'branch', branch, path)

/** Returns the path of the feed of the tags. */
export const tagFeedPath = (place: RepositoryNames): string => `${repositoryPath(place, 'tags')}.atom`

/** Resolves the revision and path in an address; leads to the full address when it is abbreviated or renamed. */
export async function revisionAt(ctx: RepoCtx, page: RevisionPage, rest: string): Promise<RevisionAndPath> {
  const at = await atWebAddress(ctx, page, rest)
  if ('movedTo' in at) throw new Moved(303, at.movedTo.slice(ctx.config.server.subPath.length))
  return at
}

/** Digits of a shown commit id. */
const shortDigits = 10

export const shortOid = (oid: string): string => oid.slice(0, shortDigits)

export interface Crumb {
  readonly name: string
  readonly path: string
}

/**
 * Returns the folders above a path and the path itself.
 * @param most the first of more than so many parts is named `…` and stands for all above it
 */
export function crumbsOf(path: string, most = Infinity): readonly Crumb[] {
  if (path === '') return []
  const parts = path.split('/')
  const first = Math.max(0, parts.length - most)
  return parts.slice(first).map((name, index) => ({
    name: index === 0 && first > 0 ? '…' : name,
    path: parts.slice(0, first + index + 1).join('/'),
  }))
}

export const deletePath = (repository: RepositoryNames, branch: string, path: string): string =>
  repositoryPath(repository, '_delete', branch, path)

export const editPath = (repository: RepositoryNames, branch: string, path: string): string =>
  repositoryPath(repository, '_edit', branch, path)

/** Returns the path of the form that reverts a commit on a branch, or repeats it there. */
export const replayPath = (repository: RepositoryNames, isReverse: boolean, oid: string, branch: string): string =>
  repositoryPath(repository, isReverse ? '_revert' : '_cherrypick', oid, branch)

/** Returns the path to which a symbolic link leads; undefined when that is outside of the repository. */
export function linkedPath(path: string, target: string): string | undefined {
  if (target === '' || target.startsWith('/')) return undefined
  const parts = path.split('/').slice(0, -1)
  for (const part of target.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined
    } else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}
