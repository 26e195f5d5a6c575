import type { Ctx } from '../access/context.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { repoApiUrl, repoWebUrl } from '../repos/repo-url.ts'

/** The repository of an issue, and its owner. */
export interface RepoWithOwner {
  readonly repo: RepoRow
  readonly owner: UserRow
}

interface Numbered {
  readonly index: number
  readonly is_pull: boolean
}

/** Returns the web address of an issue or pull request. */
export const issueWebUrl = (ctx: Pick<Ctx, 'config'> & RepoWithOwner, issue: Numbered): string =>
  `${repoWebUrl(ctx)}/${issue.is_pull ? 'pulls' : 'issues'}/${issue.index}`

/** Returns the API address, which is below `issues` for both kinds. */
export const issueApiUrl = (ctx: Pick<Ctx, 'config'> & RepoWithOwner, issue: Numbered): string =>
  `${repoApiUrl(ctx)}/issues/${issue.index}`
