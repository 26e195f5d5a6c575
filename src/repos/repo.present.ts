import type { Ctx } from '../access/context.ts'
import { listUnits } from '../access/access.store.ts'
import { accessByGiven, findGiven } from '../access/repo-access.ts'
import { fullRights, mode, type Rights } from '../access/rights.ts'
import { viewerAs } from '../auth/viewer.ts'
import type { Db } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { RepoRow, RepoUnit, RepoUnitRow } from '../db/tables/repositories.ts'
import type { MirrorRow } from '../db/tables/mirrors.ts'
import { pluck } from '../lib/pluck.ts'
import type { TeamId } from '../lib/ids.ts'
import { formatUnix, zeroTime } from '../lib/time.ts'
import { presentTeams } from '../orgs/team.present.ts'
import { loadTeams } from '../orgs/team.store.ts'
import { presentPublicUser, presentUser } from '../users/user.present.ts'
import { loadUsers } from '../users/user.store.ts'
import { intervalText } from './mirrors/mirror-interval.ts'
import { loadMirrors } from './mirrors/mirror.store.ts'
import { repoApiUrl, repoCloneUrl, repoFullName, repoSshUrl, repoWebUrl } from './repo-url.ts'
import { loadRepos } from './repo.store.ts'
import type { Permission, Repository, RepoTransfer } from './repo.schemas.ts'
import { listTransfers } from './lifecycle/transfer.store.ts'
import { unitConfig } from './unit-config.ts'

/** A repository with its owner, its units and the viewer's rights. A `RepoCtx` satisfies it. */
export interface RepoView {
  readonly repo: RepoRow
  readonly owner: UserRow
  readonly units: readonly RepoUnitRow[]
  readonly rights: Rights
}

type PresentCtx = Pick<Ctx, 'config' | 'db' | 'viewer'>

/** Returns the permissions of the record: rank admin, writing and reading code (contract, repositories: record). */
export const presentPermission = (rights: Rights): Permission => ({
  admin: rights.isAdmin,
  push: rights.canWrite('code'),
  pull: rights.canRead('code'),
})

/** Returns the address of a repository's picture; empty when it has none. */
export const repoAvatarUrl = (ctx: Pick<Ctx, 'config'>, repo: Pick<RepoRow, 'avatar_key'>): string =>
  repo.avatar_key === '' ? '' : `${ctx.config.server.rootUrl}repo-avatars/${repo.avatar_key.split('/').at(-1)}`

interface Beside {
  readonly parent: Repository | null
  readonly transfer: RepoTransfer | null
  readonly mirror: MirrorRow | undefined
  readonly permissions: Permission
}

function presentView(
  ctx: PresentCtx,
  view: Omit<RepoView, 'rights'>,
  { parent, transfer, mirror, permissions }: Beside,
): Repository {
  const { repo, owner, units } = view
  const address = { config: ctx.config, owner, repo }
  const apiUrl = repoApiUrl(address)
  const has = (unit: RepoUnit): boolean => units.some((row) => row.unit === unit)
  const tracker = unitConfig(units, 'issues')
  const externalTracker = unitConfig(units, 'ext_issues')
  const externalWiki = unitConfig(units, 'ext_wiki')
  const pulls = unitConfig(units, 'pulls')
  // One literal without spreads is twice as fast, and each request builds it. Undefined values are omitted.
  return {
    id: repo.id,
    owner: presentPublicUser(ctx, owner),
    name: repo.name,
    full_name: repoFullName(address),
    description: repo.description,
    empty: repo.is_empty,
    private: repo.is_private,
    fork: repo.is_fork,
    template: repo.is_template,
    parent,
    mirror: repo.is_mirror,
    size: Math.floor((repo.git_size_bytes + repo.lfs_size_bytes) / 1024),
    language: repo.primary_language,
    languages_url: `${apiUrl}/languages`,
    html_url: repoWebUrl(address),
    url: apiUrl,
    link: '',
    ssh_url: repoSshUrl(address),
    clone_url: repoCloneUrl(address),
    original_url: repo.original_url,
    website: repo.website,
    stars_count: repo.num_stars,
    forks_count: repo.num_forks,
    watchers_count: repo.num_watches,
    open_issues_count: repo.num_issues - repo.num_closed_issues,
    open_pr_counter: repo.num_pulls - repo.num_closed_pulls,
    release_counter: repo.num_releases,
    default_branch: repo.default_branch,
    archived: repo.is_archived,
    created_at: formatUnix(repo.created_unix),
    updated_at: formatUnix(repo.updated_unix),
    archived_at: formatUnix(repo.archived_unix),
    permissions,
    has_issues: tracker !== undefined || externalTracker !== undefined,
    internal_tracker: tracker && {
      enable_time_tracker: tracker.enable_time_tracker,
      allow_only_contributors_to_track_time: tracker.allow_only_contributors_to_track_time,
      enable_issue_dependencies: tracker.enable_issue_dependencies,
    },
    external_tracker: externalTracker && {
      external_tracker_url: externalTracker.external_tracker_url,
      external_tracker_format: externalTracker.external_tracker_format,
      external_tracker_style: externalTracker.external_tracker_style,
      external_tracker_regexp_pattern: externalTracker.external_tracker_regexp_pattern,
    },
    has_wiki: has('wiki') || externalWiki !== undefined,
    external_wiki: externalWiki && { external_wiki_url: externalWiki.external_wiki_url },
    globally_editable_wiki: units.some((row) => row.unit === 'wiki' && row.default_access >= mode.write),
    has_pull_requests: pulls !== undefined,
    has_projects: has('projects'),
    has_releases: has('releases'),
    has_packages: has('packages'),
    has_actions: has('actions'),
    ignore_whitespace_conflicts: pulls?.ignore_whitespace_conflicts ?? false,
    allow_merge_commits: pulls?.allow_merge_commits ?? false,
    allow_rebase: pulls?.allow_rebase ?? false,
    allow_rebase_explicit: pulls?.allow_rebase_explicit ?? false,
    allow_squash_merge: pulls?.allow_squash_merge ?? false,
    allow_fast_forward_only_merge: pulls?.allow_fast_forward_only_merge ?? false,
    allow_rebase_update: pulls?.allow_rebase_update ?? false,
    default_delete_branch_after_merge: pulls?.default_delete_branch_after_merge ?? false,
    default_merge_style: pulls?.default_merge_style ?? 'merge',
    default_allow_maintainer_edit: pulls?.default_allow_maintainer_edit ?? false,
    default_update_style: pulls?.default_update_style ?? 'merge',
    wiki_branch: repo.wiki_branch,
    avatar_url: repoAvatarUrl(ctx, repo),
    internal: !repo.is_private && owner.visibility === 'private',
    mirror_interval: mirror ? intervalText(mirror.interval_seconds) : '',
    object_format_name: repo.object_format,
    mirror_updated: mirror ? formatUnix(mirror.synced_unix) : zeroTime,
    repo_transfer: transfer,
    topics: JSON.parse(repo.topics) as string[],
  }
}

/** The bases of forks. */
async function loadBases(db: Db, repos: readonly RepoRow[]): Promise<RepoRow[]> {
  const ids = repos.flatMap((repo) => (repo.is_fork && repo.fork_id !== null ? [repo.fork_id] : []))
  return ids.length === 0 ? [] : [...(await loadRepos(db, ids)).values()]
}

/** The visible bases by id. */
const visibleById = (views: readonly RepoView[]): ReadonlyMap<number, RepoView> =>
  new Map(views.filter(isVisible).map((view) => [view.repo.id, view]))

/** Returns the bases of forks that the viewer sees, by id. */
async function loadParents(ctx: PresentCtx, views: readonly RepoView[]): Promise<ReadonlyMap<number, RepoView>> {
  const bases = await loadBases(ctx.db, pluck(views, 'repo'))
  return visibleById(await loadViews(ctx, bases))
}

/** Whether the viewer sees the repository. */
export const isVisible = ({ rights }: RepoView): boolean => rights.any

async function loadTransfers(ctx: PresentCtx, views: readonly RepoView[]): Promise<ReadonlyMap<number, RepoTransfer>> {
  const ids = views.flatMap(({ repo }) => (repo.has_transfer ? [repo.id] : []))
  if (ids.length === 0) return new Map()
  const transfers = await listTransfers(ctx.db, ids)
  const teamIds = transfers.flatMap((row) => JSON.parse(row.team_ids) as TeamId[])
  const [users, teams] = await Promise.all([
    loadUsers(
      ctx.db,
      transfers.flatMap((row) => [row.doer_id, row.recipient_id]),
    ),
    loadTeams(ctx.db, teamIds).then((rows) => presentTeams(ctx, rows)),
  ])
  return new Map(
    transfers.map((row) => {
      const ids = new Set(JSON.parse(row.team_ids) as number[])
      const [doer, recipient] = [users.get(row.doer_id), users.get(row.recipient_id)]
      return [
        row.repo_id,
        {
          // Both records are those that a guest sees (observed).
          doer: doer ? presentUser({ config: ctx.config }, doer) : null,
          recipient: recipient ? presentUser({ config: ctx.config }, recipient) : null,
          teams: teams.filter((team) => ids.has(team.id)),
        },
      ]
    }),
  )
}

/** Loads owners, units and the viewer's rights of repositories in a fixed number of queries. */
export async function loadViews(ctx: PresentCtx, repos: readonly RepoRow[]): Promise<RepoView[]> {
  if (repos.length === 0) return []
  // Both queries run at once.
  const [owners, given] = await Promise.all([
    loadUsers(ctx.db, pluck(repos, 'owner_id')),
    findGiven(ctx.db, ctx.viewer, repos),
  ])
  const owned = repos.flatMap((repo) => {
    const owner = owners.get(repo.owner_id)
    return owner ? [{ repo, owner }] : []
  })
  const access = accessByGiven(ctx.viewer, owned, given)
  return owned.flatMap(({ repo, owner }) => {
    const own = access.get(repo.id)
    return own ? [{ repo, owner, ...own }] : []
  })
}

/**
 * Presents repositories whose rights are known.
 * @param known the bases of forks, if the caller has loaded them
 */
export async function presentViews(
  ctx: PresentCtx,
  views: readonly RepoView[],
  known?: ReadonlyMap<number, RepoView>,
): Promise<Repository[]> {
  const [parents, transfers, mirrors] = await Promise.all([
    known ?? loadParents(ctx, views),
    loadTransfers(ctx, views),
    loadMirrors(
      ctx.db,
      views.flatMap(({ repo }) => (repo.is_mirror ? [repo.id] : [])),
    ),
  ])
  return views.map((view) => {
    const permissions = presentPermission(view.rights)
    const base = view.repo.fork_id === null ? undefined : parents.get(view.repo.fork_id)
    return presentView(ctx, view, {
      // A record shows one level of bases, with the permissions of the fork (contract, repositories: record).
      parent: base ? presentView(ctx, base, { parent: null, transfer: null, mirror: undefined, permissions }) : null,
      transfer: transfers.get(view.repo.id) ?? null,
      mirror: mirrors.get(view.repo.id),
      permissions,
    })
  })
}

/** Presents repositories in the given order, in six queries and one more for forks. */
export async function presentRepos(ctx: PresentCtx, repos: readonly RepoRow[]): Promise<Repository[]> {
  const bases = await loadBases(ctx.db, repos)
  const shown = new Set(repos.map((repo) => repo.id))
  const views = await loadViews(ctx, [...repos, ...bases.filter((base) => !shown.has(base.id))])
  return presentViews(
    ctx,
    views.filter(({ repo }) => shown.has(repo.id)),
    visibleById(views),
  )
}

/** Like `presentRepos`, with the permissions of another account (observed: lists of stars). */
export async function presentReposFor(
  ctx: PresentCtx,
  user: UserRow,
  repos: readonly RepoRow[],
): Promise<Repository[]> {
  const { viewer } = ctx
  // The viewer's own list has these rights already, unless the credential has fewer.
  if (viewer?.id === user.id && !viewer.limit.repo && !viewer.limit.publicOnly) return presentRepos(ctx, repos)
  const [shown, theirs] = await Promise.all([
    presentRepos(ctx, repos),
    loadViews({ ...ctx, viewer: viewerAs(user) }, repos),
  ])
  const rights = new Map<number, Rights>(theirs.map((view) => [view.repo.id, view.rights]))
  return shown.map((repo) => {
    const own = rights.get(repo.id)
    return own ? { ...repo, permissions: presentPermission(own) } : repo
  })
}

/** Presents one repository. Only a fork or a pending transfer needs a query. */
export async function presentRepo(ctx: PresentCtx, view: RepoView): Promise<Repository> {
  const { is_fork, has_transfer, is_mirror } = view.repo
  if (!is_fork && !has_transfer && !is_mirror) {
    const permissions = presentPermission(view.rights)
    return presentView(ctx, view, { parent: null, transfer: null, mirror: undefined, permissions })
  }
  const [presented] = await presentViews(ctx, [view])
  return presented as Repository
}

/** Presents the repository of the request. */
export function presentThisRepo(ctx: PresentCtx & RepoView): Promise<Repository> {
  const { repo, owner, units, rights } = ctx
  return presentRepo(ctx, { repo, owner, units, rights })
}

/** Presents a new repository, with the rank of the operation instead of the caller's (contract). */
export async function presentMadeRepo(ctx: PresentCtx, repo: RepoRow, owner: UserRow): Promise<Repository> {
  const units = await listUnits(ctx.db, [repo.id])
  return presentRepo(ctx, { repo, owner, units, rights: fullRights(units) })
}
