import type { Ctx } from '../access/context.ts'
import { accessToAll, type RepoAccess } from '../access/repo-access.ts'
import { presentRunPayload, type ActionRun } from '../actions/runs/run-payload.present.ts'
import { loadRunsWithPrevious, type RunWithPrevious } from '../actions/runs/run-payload.store.ts'
import { viewerAs, type Viewer } from '../auth/viewer.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { CommentRow, IssueRow } from '../db/tables/issues.ts'
import type { PullRow, ReviewRow } from '../db/tables/pulls.ts'
import type { ReleaseRow } from '../db/tables/releases.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { EventData } from '../events/catalogue.ts'
import { commentUrls, presentComment } from '../issues/comments/comment.present.ts'
import type { Comment } from '../issues/comments/comment.schemas.ts'
import { presentIssues } from '../issues/issue.present.ts'
import type { Issue } from '../issues/issue.schemas.ts'
import { loadIssues } from '../issues/issue.store.ts'
import { loadComments } from '../issues/timeline-entry.store.ts'
import type {
  CommentId,
  IssueId,
  PackageVersionId,
  ReleaseId,
  RepoId,
  ReviewId,
  RunId,
  TeamId,
  UserId,
} from '../lib/ids.ts'
import { branchOf } from '../lib/refs.ts'
import { formatUnix } from '../lib/time.ts'
import { presentVersion, type ShownVersion } from '../packages/package.present.ts'
import { comparable } from '../packages/package.rules.ts'
import type { Package } from '../packages/package.schemas.ts'
import type { VersionRecord } from '../packages/package.store.ts'
import { presentPulls } from '../pulls/pull.present.ts'
import type { PullRequest } from '../pulls/pull.schemas.ts'
import { listBranchHeads, loadPulls } from '../pulls/pull.store.ts'
import { presentRelease } from '../releases/release.present.ts'
import type { Release } from '../releases/release.schemas.ts'
import { presentPermission, presentViews } from '../repos/repo.present.ts'
import type { Permission, Repository } from '../repos/repo.schemas.ts'
import { loadRepos } from '../repos/repo.store.ts'
import { ghostUser, placeholderEmail, presentUser } from '../users/user.present.ts'
import type { User } from '../users/user.schemas.ts'
import { loadUsers } from '../users/user.store.ts'
import { listMembersOfTeams, loadReleases, loadReviews, loadVersions } from './payload.store.ts'
import { accountIdsIn, withAddresses } from './hidden-addresses.ts'
import type { NeededRows } from './needed-rows.ts'

export type { Repository } from '../repos/repo.schemas.ts'

/** The services of a presenter; in a transaction `db` is the transaction. */
export type PayloadCtx = Pick<Ctx, 'config' | 'db' | 'log'>

/** Whose permissions a payload shows; each event has its own rule (observed). */
export type PermissionsOf = { readonly userId: UserId } | 'all' | 'none' | 'reader'

const allPermissions: Permission = { admin: true, push: true, pull: true }
const noPermissions: Permission = { admin: false, push: false, pull: false }
const readerPermissions: Permission = { admin: false, push: false, pull: true }

export interface RepoWithOwner {
  readonly repo: RepoRow
  readonly owner: UserRow
}

interface LoadedRows {
  readonly users: ReadonlyMap<UserId, UserRow>
  readonly homes: ReadonlyMap<RepoId, RepoWithOwner>
  readonly issues: ReadonlyMap<IssueId, IssueRow>
  readonly pulls: ReadonlyMap<IssueId, PullRow>
  readonly comments: ReadonlyMap<CommentId, CommentRow>
  readonly reviews: ReadonlyMap<ReviewId, ReviewRow>
  readonly releases: ReadonlyMap<ReleaseId, ReleaseRow>
  readonly versions: ReadonlyMap<PackageVersionId, VersionRecord>
  readonly teams: ReadonlyMap<TeamId, readonly UserId[]>
  readonly runs: ReadonlyMap<RunId, RunWithPrevious>
  /** Branches of the runs that still exist. */
  readonly branches: ReadonlySet<string>
  /** Repositories that this transaction deletes, as presented before. */
  readonly deleted: ReadonlyMap<RepoId, Repository>
}

/** What the event knows of a deleted comment. */
export interface DeletedComment {
  readonly id: CommentId
  readonly content: string
  readonly posterId: UserId
  readonly createdUnix?: number | undefined
  readonly updatedUnix?: number | undefined
}

/** Loads the rows of all payloads of a transaction at once, and presents each object once per acting user as the API does. */
export class PayloadPresenter {
  readonly ctx: PayloadCtx
  readonly #users: ReadonlyMap<UserId, UserRow>
  readonly #homes: ReadonlyMap<RepoId, RepoWithOwner>
  readonly issues: ReadonlyMap<IssueId, IssueRow>
  readonly pulls: ReadonlyMap<IssueId, PullRow>
  readonly comments: ReadonlyMap<CommentId, CommentRow>
  readonly reviews: ReadonlyMap<ReviewId, ReviewRow>
  readonly #releases: ReadonlyMap<ReleaseId, ReleaseRow>
  readonly #versions: ReadonlyMap<PackageVersionId, VersionRecord>
  readonly #teams: ReadonlyMap<TeamId, readonly UserId[]>
  readonly #runs: ReadonlyMap<RunId, RunWithPrevious>
  readonly #branches: ReadonlySet<string>
  readonly #deleted: ReadonlyMap<RepoId, Repository>
  readonly #presented = new Map<string, Promise<unknown>>()

  private constructor(ctx: PayloadCtx, loaded: LoadedRows) {
    this.ctx = ctx
    this.#users = loaded.users
    this.#homes = loaded.homes
    this.issues = loaded.issues
    this.pulls = loaded.pulls
    this.comments = loaded.comments
    this.reviews = loaded.reviews
    this.#releases = loaded.releases
    this.#versions = loaded.versions
    this.#teams = loaded.teams
    this.#runs = loaded.runs
    this.#branches = loaded.branches
    this.#deleted = loaded.deleted
  }

  static async load(
    ctx: PayloadCtx,
    needs: readonly NeededRows[],
    deleted: ReadonlyMap<RepoId, Repository> = new Map(),
  ): Promise<PayloadPresenter> {
    const all = <Id>(pick: (need: NeededRows) => readonly Id[] | undefined): Id[] => [
      ...new Set(needs.flatMap((need) => pick(need) ?? [])),
    ]
    const { db } = ctx
    const issueIds = all((need) => need.issueIds)
    const commentIds = all((need) => need.commentIds)
    const repos = await loadRepos(
      db,
      all((need) => need.repoIds),
    )
    const issues = issueIds.length > 0 ? await loadIssues(db, issueIds) : new Map<IssueId, IssueRow>()
    const pullIds = [...issues.values()].filter((issue) => issue.is_pull).map((issue) => issue.id)
    const pulls = pullIds.length > 0 ? await loadPulls(db, pullIds) : new Map<IssueId, PullRow>()
    const comments = commentIds.length > 0 ? await loadComments(db, commentIds) : new Map<CommentId, CommentRow>()
    const reviews = await loadReviews(
      db,
      all((need) => need.reviewIds),
    )
    const releases = await loadReleases(
      db,
      all((need) => need.releaseIds),
    )
    const versions = await loadVersions(
      db,
      all((need) => need.versionIds),
    )
    const teams = await listMembersOfTeams(
      db,
      all((need) => need.teamIds),
    )
    const runs = await loadRunsWithPrevious(
      db,
      all((need) => need.runIds),
    )
    const branches = await branchesOfRuns(db, [...runs.values()])
    const users = await loadUsers(db, [
      ...[...teams.values()].flat(),
      ...all((need) => need.userIds),
      ...[...repos.values()].map((repo) => repo.owner_id),
      ...[...issues.values()].map((issue) => issue.poster_id),
      ...[...comments.values()].map((comment) => comment.poster_id),
      ...[...runs.values()].flatMap(({ run, before }) => [run.doer_id, ...(before ? [before.run.doer_id] : [])]),
    ])
    const homes = new Map<RepoId, RepoWithOwner>()
    for (const repo of repos.values()) {
      const owner = users.get(repo.owner_id)
      if (owner) homes.set(repo.id, { repo, owner })
    }
    const loaded = {
      users,
      homes,
      issues,
      pulls,
      comments,
      reviews,
      releases,
      versions,
      teams,
      runs,
      branches,
      deleted,
    }
    return new PayloadPresenter(ctx, loaded)
  }

  home(repoId: RepoId): RepoWithOwner | undefined {
    return this.#homes.get(repoId)
  }

  userRow(id: UserId): UserRow | undefined {
    return this.#users.get(id)
  }

  /** Returns an account as guests see it (observed). */
  person(id: UserId): User {
    const user = this.#users.get(id)
    return user ? presentUser({ config: this.ctx.config }, user) : ghostUser(this.ctx)
  }

  /** Returns an owner, whose address is hidden if it is an organization; it may be a person (observed). */
  organization(id: UserId): User {
    const user = this.#users.get(id)
    return user ? { ...this.person(id), email: placeholderEmail(this.ctx, user) } : this.person(id)
  }

  /** Returns the head of the default branch at the time of the event. */
  defaultHead(repoId: RepoId): Promise<string | undefined> {
    const name = this.#homes.get(repoId)?.repo.default_branch ?? ''
    return this.#once(`default head ${repoId}`, async () => {
      const [head] = await listBranchHeads(this.ctx.db, [{ repoId, names: [name] }])
      return head?.commit_oid
    })
  }

  teamMembers(id: TeamId): readonly UserId[] {
    return this.#teams.get(id) ?? []
  }

  /** Returns a repository that this transaction deletes, as it was. */
  deletedRepository(id: RepoId): Repository | undefined {
    return this.#deleted.get(id)
  }

  #once<Value>(key: string, load: () => Promise<Value>): Promise<Value> {
    const known = this.#presented.get(key) as Promise<Value> | undefined
    const value = known ?? load()
    this.#presented.set(key, value)
    return value
  }

  #viewer(id: UserId): Viewer | undefined {
    const user = this.#users.get(id)
    return user && viewerAs(user)
  }

  /** Returns a user's access to all repositories of the transaction. */
  #access(userId: UserId): Promise<ReadonlyMap<RepoId, RepoAccess>> {
    return this.#once(`access ${userId}`, () =>
      accessToAll(this.ctx.db, this.#viewer(userId), [...this.#homes.values()]),
    )
  }

  /** Returns a repository. Its owner appears as to signed-in users, or as to guests for `none` (observed). */
  async repository(repoId: RepoId, of: PermissionsOf): Promise<Repository | undefined> {
    const home = this.#homes.get(repoId)
    if (!home) return undefined
    const shown = await this.#once(`repository ${repoId}`, async () => {
      const access = (await this.#access(home.owner.id)).get(repoId)
      if (!access) return undefined
      const viewer = this.#viewer(home.owner.id)
      const [presented] = await presentViews({ ...this.ctx, viewer }, [{ ...home, ...access }])
      return presented
    })
    if (!shown) return undefined
    const permissions = await this.#permissions(repoId, of)
    // A private base of another owner stays hidden.
    const parent = shown.parent as Repository | null
    return {
      ...shown,
      permissions,
      parent: isVisibleTo(parent, home.owner) ? { ...parent, permissions } : null,
      ...(of === 'none' ? { owner: presentUser({ config: this.ctx.config }, home.owner) } : {}),
    }
  }

  async #permissions(repoId: RepoId, of: PermissionsOf): Promise<Permission> {
    if (of === 'all') return allPermissions
    if (of === 'none') return noPermissions
    if (of === 'reader') return readerPermissions
    const access = (await this.#access(of.userId)).get(repoId)
    return access ? presentPermission(access.rights) : noPermissions
  }

  /** Returns an issue as the acting user sees it. */
  async issue(id: IssueId, doerId: UserId): Promise<Issue | undefined> {
    const row = this.issues.get(id)
    const home = row && this.#homes.get(row.repo_id)
    if (!row || !home) return undefined
    const viewer = this.#viewer(doerId)
    const all = await this.#once(`issues ${row.repo_id} ${doerId}`, async () => {
      const rows = [...this.issues.values()].filter((each) => each.repo_id === row.repo_id)
      const shown = await presentIssues({ ...this.ctx, viewer }, rows, [home])
      return new Map(shown.map((issue) => [issue.id, issue]))
    })
    const issue = all.get(id)
    return issue && this.#withoutHiddenAddresses(issue)
  }

  /** Returns a pull request as the acting user sees it. */
  async pull(id: IssueId, doerId: UserId): Promise<PullRequest | undefined> {
    const issue = this.issues.get(id)
    const home = issue && this.#homes.get(issue.repo_id)
    if (!issue || !home) return undefined
    const viewer = this.#viewer(doerId)
    const all = await this.#once(`pulls ${issue.repo_id} ${doerId}`, async () => {
      const access = (await this.#access(doerId)).get(issue.repo_id)
      if (!access) return new Map<number, PullRequest>()
      const pairs = [...this.pulls.values()].flatMap((pull) => {
        const own = this.issues.get(pull.issue_id)
        return own?.repo_id === issue.repo_id ? [{ pull, issue: own }] : []
      })
      const shown = await presentPulls({ ...this.ctx, ...home, ...access, viewer }, pairs)
      return new Map(shown.map((pull, index) => [pairs[index]?.issue.id, pull]))
    })
    const pull = all.get(id)
    if (!pull) return undefined
    const { head } = pull
    return this.#withoutHiddenAddresses({
      ...pull,
      head: head && { ...head, repo: isVisibleTo(head.repo, home.owner) ? head.repo : null },
    })
  }

  async comment(id: CommentId): Promise<Comment | undefined> {
    const row = this.comments.get(id)
    const issue = row && this.issues.get(row.issue_id)
    const home = issue && this.#homes.get(issue.repo_id)
    return issue && home && presentComment({ ...this.ctx, ...home }, issue, row)
  }

  /** Returns a deleted comment without its attachments. */
  deletedComment(issueId: IssueId, deleted: DeletedComment): Comment | undefined {
    const issue = this.issues.get(issueId)
    const home = issue && this.#homes.get(issue.repo_id)
    if (!issue || !home) return undefined
    const ctx = { ...this.ctx, ...home }
    return {
      id: deleted.id,
      ...commentUrls(ctx, issue, deleted.id),
      user: this.person(deleted.posterId),
      original_author: '',
      original_author_id: 0,
      body: deleted.content,
      assets: [],
      created_at: formatUnix(deleted.createdUnix ?? 0),
      updated_at: formatUnix(deleted.updatedUnix ?? 0),
    }
  }

  async release(id: ReleaseId): Promise<Release | undefined> {
    const row = this.#releases.get(id)
    const home = row && this.#homes.get(row.repo_id)
    return home && presentRelease({ ...this.ctx, ...home }, row)
  }

  /** Returns a deleted release without its attachments. */
  async deletedRelease(deleted: EventData<'release.deleted'>): Promise<Release | undefined> {
    const home = this.#homes.get(deleted.repoId)
    return (
      home &&
      presentRelease(
        { ...this.ctx, ...home },
        {
          id: deleted.releaseId,
          repo_id: deleted.repoId,
          tag_name: deleted.tagName,
          lower_tag_name: deleted.tagName.toLowerCase(),
          target: deleted.target,
          title: deleted.title,
          content: deleted.content,
          is_draft: deleted.isDraft,
          is_prerelease: deleted.isPrerelease,
          hides_archive_links: deleted.hidesArchiveLinks,
          publisher_id: deleted.publisherId,
          original_author: '',
          created_unix: deleted.createdUnix,
        },
      )
    )
  }

  run(id: RunId): Promise<ActionRun | undefined> {
    return this.#presentRun(this.#runs.get(id))
  }

  /** Returns the previous ended run of the same workflow on the same reference. */
  runBefore(id: RunId): Promise<ActionRun | undefined> {
    return this.#presentRun(this.#runs.get(id)?.before)
  }

  /** Returns whether the previous run did not succeed. */
  isRecovered(id: RunId): boolean {
    const before = this.#runs.get(id)?.before
    return before !== undefined && before.run.status !== 'success'
  }

  async #presentRun(loaded: Omit<RunWithPrevious, 'before'> | undefined): Promise<ActionRun | undefined> {
    const repository = loaded && (await this.repository(loaded.run.repo_id, 'none'))
    if (!repository) return undefined
    const { run, payload } = loaded
    const isRefDeleted = branchOf(run.ref) !== undefined && !this.#branches.has(branchKey(run.repo_id, run.ref))
    return presentRunPayload(run, { payload, repository, doer: this.person(run.doer_id), isRefDeleted })
  }

  /** Returns a version of a package as its owner sees it. */
  async package(id: PackageVersionId): Promise<Package | undefined> {
    const version = this.#versions.get(id)
    return version && this.#presentPackage(version.owner_id, version)
  }

  /** Returns a deleted version of a package. */
  deletedPackage(deleted: EventData<'package.deleted'>): Promise<Package | undefined> {
    return this.#presentPackage(deleted.ownerId, {
      id: deleted.versionId,
      repo_id: deleted.repoId ?? null,
      creator_id: deleted.creatorId,
      type: deleted.type,
      name: deleted.name,
      lower_name: comparable(deleted.name),
      version: deleted.version,
      lower_version: comparable(deleted.version),
      created_unix: deleted.createdUnix,
    })
  }

  async #presentPackage(ownerId: UserId, version: ShownVersion): Promise<Package | undefined> {
    const owner = this.#users.get(ownerId)
    return owner && presentVersion({ ...this.ctx, subject: owner, viewer: viewerAs(owner) }, version)
  }

  /**
   * Hides private mail addresses at any depth: the presenters show the acting user their own address and administrators all
   * addresses, but other people read payloads.
   */
  async #withoutHiddenAddresses<Value>(shown: Value): Promise<Value> {
    const ids = [...accountIdsIn(shown)]
    const missing = ids.filter((id) => !this.#users.has(id))
    const more = missing.length === 0 ? undefined : await loadUsers(this.ctx.db, missing)
    const addresses = new Map<UserId, string>()
    for (const id of ids) {
      const user = this.#users.get(id) ?? more?.get(id)
      if (user?.keep_email_private && user.kind !== 'organization') addresses.set(id, placeholderEmail(this.ctx, user))
    }
    return withAddresses(shown, addresses)
  }
}

const branchKey = (repoId: RepoId, ref: string): string => `${repoId} ${ref}`

/** Returns the branches of runs that exist. */
async function branchesOfRuns(db: PayloadCtx['db'], loaded: readonly RunWithPrevious[]): Promise<ReadonlySet<string>> {
  const runs = loaded.flatMap(({ run, before }) => (before ? [run, before.run] : [run]))
  const wanted = [...Map.groupBy(runs, (run) => run.repo_id)].map(([repoId, some]) => ({
    repoId,
    names: [...new Set(some.flatMap(({ ref }) => branchOf(ref) ?? []))],
  }))
  const heads = await listBranchHeads(
    db,
    wanted.filter(({ names }) => names.length > 0),
  )
  return new Set(heads.map(({ repo_id, name }) => branchKey(repo_id, `refs/heads/${name}`)))
}

/** Returns whether everyone who reads the payload may see another repository: it is public or has the same owner. */
const isVisibleTo = (other: Repository | null, { id }: UserRow): other is Repository =>
  other !== null && (!other.private || other.owner?.id === id)
