import type { Services } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { updateEmptiness } from '../refs/ref-journal.store.ts'

/** Something that is not as it should be, in the words of the doctor. */
export interface RepoFinding {
  readonly what: string
  readonly state: 'fixed' | 'fixable' | 'report'
}

/**
 * What git and the row of a repository must agree on beside its references: the branch that HEAD names is the default
 * branch, and the repository is empty when it has no branch. The default branch is the row's, emptiness is git's.
 */
export async function* checkHeadAndEmptiness(
  services: Services,
  repo: RepoRow,
  options: { readonly fix: boolean },
): AsyncGenerator<RepoFinding> {
  const state = options.fix ? 'fixed' : 'fixable'
  const name = `repository ${repo.id} (${repo.name})`
  const { branch } = await services.git.readHead(repo.git_key)
  if (branch !== repo.default_branch) {
    if (options.fix) await services.git.setHead(repo.git_key, repo.default_branch)
    yield { what: `${name}: HEAD names ${branch} and the default branch is ${repo.default_branch}`, state }
  }
  const isEmpty = await services.git.isEmpty(repo.git_key)
  if (isEmpty !== repo.is_empty) {
    if (options.fix) await transaction(services.db, (tx) => updateEmptiness(tx, repo.id))
    yield { what: `${name}: it is recorded as ${repo.is_empty ? '' : 'not '}empty, and is not so`, state }
  }
}
