import type { RepoRow } from '../db/tables/repositories.ts'
import type { GitKey } from '../git/git-key.ts'

/** Where git keeps a repository: the key that `src/git` takes. */
export const gitKeyOf = (repo: Pick<RepoRow, 'git_key'>): GitKey => repo.git_key as GitKey
