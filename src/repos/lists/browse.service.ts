import type { Ctx } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { pluck } from '../../lib/pluck.ts'
import type { UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { wordTable } from '../../lib/word-table.ts'
import { loadUsers } from '../../users/user.store.ts'
import type { RepoFilter } from '../search/repo-filter.store.ts'
import type { RepoSort } from '../search/repo-order.store.ts'
import { searchRepos, type FoundRepos } from '../search/repo-search.store.ts'

/** The orders of lists on pages. */
const sorts = wordTable<RepoSort>({
  recentupdate: { by: 'updated', descending: true },
  leastupdate: { by: 'updated', descending: false },
  newest: { by: 'created', descending: true },
  oldest: { by: 'created', descending: false },
  alphabetically: { by: 'alpha', descending: false },
  reversealphabetically: { by: 'alpha', descending: true },
  moststars: { by: 'stars', descending: true },
  feweststars: { by: 'stars', descending: false },
  mostforks: { by: 'forks', descending: true },
  fewestforks: { by: 'forks', descending: false },
  size: { by: 'size', descending: false },
  reversesize: { by: 'size', descending: true },
})

/** The kinds of repositories that a list may be limited to. */
const kinds = wordTable<RepoFilter>({
  source: { isFork: false, isMirror: false },
  fork: { isFork: true },
  mirror: { isMirror: true },
  template: { isTemplate: true },
  archived: { isArchived: true },
  private: { isPrivate: true },
})

/** What a person asks for on a page with a list of repositories. Unknown words count as absent. */
export interface RepoBrowsing {
  readonly text?: string | undefined
  readonly language?: string | undefined
  readonly kind?: string | undefined
  readonly sort?: string | undefined
}

/** Whose repositories are listed. Absent: the repositories that the viewer may see. */
export interface RepoSet {
  readonly ownedBy?: UserRow
  readonly starredBy?: UserRow
  /** The account owns them or contributes to them; only for the viewer's own account. */
  readonly contributedToBy?: UserId
}

export interface OwnedRepo {
  readonly repo: RepoRow
  readonly owner: UserRow
}

/** A page of repositories with their owners. */
export interface BrowsedRepos extends Omit<FoundRepos, 'repos'> {
  readonly repos: readonly OwnedRepo[]
  readonly page: Page
}

/** Returns the repositories that the viewer may see among a set, by default the recently updated ones first. */
export async function browseRepos(
  ctx: Ctx,
  { ownedBy, starredBy, contributedToBy }: RepoSet,
  { text = '', language, kind = '', sort = '' }: RepoBrowsing,
  page: Page,
): Promise<BrowsedRepos> {
  const { ui } = ctx.config
  const word = text.trim()
  const filter: RepoFilter = {
    ownerId: ownedBy?.id,
    starredBy: starredBy?.id,
    contributorId: contributedToBy,
    words: word === '' ? [] : [word],
    alsoDescription: ui.searchRepoDescription,
    language: language === '' ? undefined : language,
    // Other accounts see only public repositories among the stars of a person (contract, users: starring).
    ...(starredBy !== undefined && starredBy.id !== ctx.viewer?.id ? { isPrivate: false } : {}),
    ...kinds[kind],
  }
  const order = sorts[sort] ?? sorts[ui.explorePagingDefaultSort] ?? { by: 'updated', descending: true }
  const { repos, ...found } = await searchRepos(ctx.db, filter, ctx.viewer, order, page)
  return { repos: await withOwners(ctx, repos), page, ...found }
}

/** Returns repositories with their owners, which one query loads. */
export async function withOwners({ db }: Pick<Ctx, 'db'>, repos: readonly RepoRow[]): Promise<OwnedRepo[]> {
  const owners = await loadUsers(db, pluck(repos, 'owner_id'))
  return repos.flatMap((repo) => {
    const owner = owners.get(repo.owner_id)
    return owner ? [{ repo, owner }] : []
  })
}
