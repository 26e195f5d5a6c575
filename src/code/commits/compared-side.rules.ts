import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'

/** Returns whether one repository is a fork of the other, or both are forks of a third one. */
export const isRelated = (one: Pick<RepoRow, 'id' | 'fork_id'>, other: Pick<RepoRow, 'id' | 'fork_id'>): boolean =>
  other.fork_id === one.id || one.fork_id === other.id || (one.fork_id !== null && one.fork_id === other.fork_id)

type Named = {
  readonly owner: Pick<UserRow, 'name'>
  readonly repo: Pick<RepoRow, 'id' | 'fork_id' | 'name' | 'lower_name'>
}

/** Returns the text by which `findComparedSide` finds a revision of `other` from `here`. */
export function comparedSideText(here: Named, other: Named & { readonly name: string }): string {
  if (other.repo.id === here.repo.id) return other.name
  const isNext = other.repo.fork_id === here.repo.id || here.repo.fork_id === other.repo.id
  const isShort = isNext && other.repo.lower_name === here.repo.lower_name
  return `${other.owner.name}${isShort ? '' : `/${other.repo.name}`}:${other.name}`
}
