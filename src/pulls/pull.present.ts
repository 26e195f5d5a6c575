import type { RepoCtx } from '../access/context.ts'
import type { MilestoneRow } from '../db/tables/issues.ts'
import type { PullRow } from '../db/tables/pulls.ts'
import { pluck } from '../lib/pluck.ts'
import { issueWebUrl } from '../issues/repo-with-owner.ts'
import { loadAroundIssues } from '../issues/issue.store.ts'
import { presentLabel } from '../issues/labels/label.present.ts'
import { presentMilestone } from '../issues/milestones/milestone.present.ts'
import type { RepoId, TeamId, UserId } from '../lib/ids.ts'
import { formatOptionalUnix, formatUnix } from '../lib/time.ts'
import { presentTeams } from '../orgs/team.present.ts'
import { loadTeams } from '../orgs/team.store.ts'
import { isVisible, loadViews, presentViews, type RepoView } from '../repos/repo.present.ts'
import { loadRepos } from '../repos/repo.store.ts'
import type { Repository } from '../repos/repo.schemas.ts'
import { presentAuthor, presentUser } from '../users/user.present.ts'
import { loadUsers } from '../users/user.store.ts'
import { isDraft } from './pull.rules.ts'
import { pullRef } from './pull-ref.ts'
import type { PRBranchInfo, PullRequest } from './pull.schemas.ts'
import { listBranchHeads, type PullPair } from './pull.store.ts'
import { listRequestsOf } from './reviews/review.store.ts'

type PresentContext = Pick<RepoCtx, 'config' | 'db' | 'viewer' | 'repo' | 'owner' | 'units' | 'rights'>

/** Rows loaded before a change, which the reply shows in their earlier state. */
export interface RowsBeforeChange {
  readonly milestone?: MilestoneRow | undefined
}

const isMergeable = (pull: PullRow): boolean => !['checking', 'conflict', 'error'].includes(pull.check_state)

/** Returns a lookup of the head commits of base and head branches, by repository and name. */
async function loadHeads(ctx: PresentContext, pulls: readonly PullRow[]) {
  const names = new Map<RepoId, Set<string>>()
  const want = (repoId: RepoId, name: string) => {
    const set = names.get(repoId) ?? new Set<string>()
    names.set(repoId, set.add(name))
  }
  for (const pull of pulls) {
    want(pull.repo_id, pull.base_branch)
    if (pull.head_repo_id !== null && pull.flow === 0) want(pull.head_repo_id, pull.head_branch)
  }
  const rows = await listBranchHeads(
    ctx.db,
    [...names].map(([repoId, set]) => ({ repoId, names: [...set] })),
  )
  const heads = new Map(rows.map((row) => [`${row.repo_id}:${row.name}`, row.commit_oid]))
  return (repoId: RepoId | null, name: string): string | undefined => heads.get(`${repoId}:${name}`)
}

/** Returns the base and head repositories that the viewer may see. */
async function loadHomes(ctx: PresentContext, pulls: readonly PullRow[]): Promise<ReadonlyMap<RepoId, Repository>> {
  const others = await loadRepos(
    ctx.db,
    pulls.map((pull) => pull.head_repo_id).filter((id) => id !== ctx.repo.id),
  )
  const views: RepoView[] = [ctx, ...(await loadViews(ctx, [...others.values()])).filter(isVisible)]
  const presented = await presentViews(ctx, views)
  return new Map(views.map((view, index) => [view.repo.id, presented[index] as Repository]))
}

/**
 * Returns pull requests of one repository as API records, with a fixed number of queries. Accounts other than the author
 * appear as a guest sees them (observed).
 */
export async function presentPulls(
  ctx: PresentContext,
  pairs: readonly PullPair[],
  before?: RowsBeforeChange,
): Promise<PullRequest[]> {
  if (pairs.length === 0) return []
  const pulls = pairs.map(({ pull }) => pull)
  const ids = pairs.map(({ issue }) => issue.id)
  const [around, requests, headOf, homes] = await Promise.all([
    loadAroundIssues(ctx.db, pluck(pairs, 'issue')),
    listRequestsOf(ctx.db, ids),
    loadHeads(ctx, pulls),
    loadHomes(ctx, pulls),
  ])
  const { labels, assignees, milestones } = around
  const [others, teamRows] = await Promise.all([
    loadUsers(
      ctx.db,
      [...pulls.map((pull) => pull.merger_id), ...requests.map((row) => row.reviewer_id)].filter(
        (id) => id !== null && !around.users.has(id),
      ),
    ),
    loadTeams(
      ctx.db,
      requests.map((row) => row.reviewer_team_id).filter((id): id is TeamId => id !== null),
    ),
  ])
  const shownTeams = await presentTeams(ctx, teamRows, (team) => (team.org_id === ctx.owner.id ? ctx.owner : undefined))
  const teams = new Map(shownTeams.map((team) => [team.id, team]))
  const users = new Map([...around.users, ...others])
  const asGuest = { config: ctx.config }
  const people = (wanted: readonly (UserId | null)[]) =>
    wanted.flatMap((id) => {
      const user = id === null ? undefined : users.get(id)
      return user ? [presentUser(asGuest, user)] : []
    })
  const requestsOf = Map.groupBy(requests, (row) => row.issue_id)

  return pairs.map(({ pull, issue }) => {
    const url = issueWebUrl(ctx, issue)
    const milestone =
      issue.milestone_id === null
        ? undefined
        : before?.milestone?.id === issue.milestone_id
          ? before.milestone
          : milestones.get(issue.milestone_id)
    const assigned = people(assignees.get(issue.id) ?? [])
    const reviewers = requestsOf.get(issue.id) ?? []
    const counts = pull.flow === 0 && pull.head_repo_id !== null
    const draft = isDraft(ctx, issue)
    return {
      id: pull.id,
      url,
      number: issue.index,
      user: presentAuthor(ctx, users.get(issue.poster_id)),
      title: issue.title,
      body: issue.content,
      labels: (labels.get(issue.id) ?? []).map((label) => presentLabel(ctx, label)),
      milestone: milestone ? presentMilestone(milestone) : null,
      assignee: assigned[0] ?? null,
      assignees: assigned.length > 0 ? assigned : null,
      requested_reviewers: people(reviewers.map((row) => row.reviewer_id)),
      requested_reviewers_teams: reviewers.flatMap((row) => teams.get(row.reviewer_team_id ?? 0) ?? []),
      state: issue.is_closed ? 'closed' : 'open',
      draft,
      is_locked: issue.is_locked,
      comments: issue.num_comments,
      review_comments: pull.num_reviews,
      additions: counts ? pull.additions : 0,
      deletions: counts ? pull.deletions : 0,
      changed_files: counts ? pull.changed_files : 0,
      html_url: url,
      diff_url: `${url}.diff`,
      patch_url: `${url}.patch`,
      mergeable: isMergeable(pull) && !draft,
      merged: pull.is_merged,
      merged_at: formatOptionalUnix(pull.merged_unix),
      merge_commit_sha: pull.is_merged ? pull.merge_oid : null,
      merged_by: pull.is_merged ? (people([pull.merger_id])[0] ?? presentAuthor(asGuest, undefined)) : null,
      allow_maintainer_edit: pull.allow_maintainer_edit,
      base: {
        label: pull.base_branch,
        ref: pull.base_branch,
        sha: headOf(pull.repo_id, pull.base_branch) ?? '',
        repo_id: pull.repo_id,
        repo: homes.get(pull.repo_id) ?? null,
      },
      head: presentHead(pull, headOf(pull.head_repo_id, pull.head_branch), homes),
      merge_base: pull.merge_base,
      due_date: formatOptionalUnix(issue.due_unix),
      created_at: formatUnix(issue.created_unix),
      updated_at: formatUnix(issue.updated_unix),
      closed_at: issue.is_closed ? formatOptionalUnix(issue.closed_unix) : null,
      pin_order: issue.pin_order,
      flow: pull.flow,
    }
  })
}

/** Returns the head branch while it exists, else `refs/pull/<index>/head`. */
function presentHead(
  pull: PullRow,
  branchHead: string | undefined,
  homes: ReadonlyMap<RepoId, Repository>,
): PRBranchInfo {
  const repo = pull.head_repo_id === null ? null : (homes.get(pull.head_repo_id) ?? null)
  const isTopic = pull.flow === 1
  const head = isTopic ? undefined : branchHead
  return {
    label: isTopic ? '' : pull.head_branch,
    ref: head === undefined ? pullRef(pull.index) : pull.head_branch,
    sha: head ?? pull.head_oid,
    repo_id: pull.head_repo_id ?? -1,
    repo,
  }
}

export async function presentPull(
  ctx: PresentContext,
  pair: PullPair,
  before?: RowsBeforeChange,
): Promise<PullRequest> {
  const [presented] = await presentPulls(ctx, [pair], before)
  return presented as PullRequest
}
