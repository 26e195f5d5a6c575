import { pathOf } from '../ui/paths.ts'

/** Names of a repository. */
export interface RepositoryAddress {
  readonly owner: string
  readonly name: string
}

/** Returns the path of a pull request, or of a page of it. */
export const pullPath = (
  { owner, name }: RepositoryAddress,
  index: number,
  ...rest: readonly (string | number)[]
): string => pathOf(owner, name, 'pulls', index, ...rest)

/** Returns the names of the repository of a request. */
export const repositoryOf = (ctx: {
  readonly owner: { readonly name: string }
  readonly repo: { readonly name: string }
}): RepositoryAddress => ({ owner: ctx.owner.name, name: ctx.repo.name })
