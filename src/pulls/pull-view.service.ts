import type { RepoCtx } from '../access/context.ts'
import type { TeamRow, UserRow } from '../db/tables/accounts.ts'
import type { LabelRow, MilestoneRow } from '../db/tables/issues.ts'
import { loadAroundIssues } from '../issues/issue.store.ts'
import type { TeamId } from '../lib/ids.ts'
import { loadTeams } from '../orgs/team.store.ts'
import { loadUsers } from '../users/user.store.ts'
import { isDraft } from './pull.rules.ts'
import { getPull, homeOfHead } from './pull.service.ts'
import type { PullPair } from './pull.store.ts'
import { listRequestsOf } from './reviews/review.store.ts'

/** A pull request with the rows around it. */
export interface PullView {
  readonly pair: PullPair
  readonly isDraft: boolean
  readonly poster: UserRow | undefined
  readonly merger: UserRow | undefined
  /** Owner and name of the head repository, when it is another one that the viewer may read. */
  readonly headRepo: { readonly owner: string; readonly name: string } | undefined
  readonly labels: readonly LabelRow[]
  readonly milestone: MilestoneRow | undefined
  readonly assignees: readonly UserRow[]
  /** Requested reviewers, and those who have given a verdict. */
  readonly reviewers: readonly UserRow[]
  readonly teams: readonly TeamRow[]
}

/**
 * Returns a pull request, checked again when its branches have moved, with the rows that its pages show.
 * @throws NotFound when the number is not a pull request
 */
export async function viewPull(ctx: RepoCtx, index: number): Promise<PullView> {
  const pair = await getPull(ctx, index)
  const { issue, pull } = pair
  const [around, requests, head] = await Promise.all([
    loadAroundIssues(ctx.db, [issue]),
    listRequestsOf(ctx.db, [issue.id]),
    homeOfHead(ctx, pair),
  ])
  const assigneeIds = around.assignees.get(issue.id) ?? []
  const reviewerIds = requests.flatMap((row) => row.reviewer_id ?? [])
  const [people, teams] = await Promise.all([
    loadUsers(ctx.db, [pull.merger_id, ...reviewerIds, ...assigneeIds]),
    loadTeams(
      ctx.db,
      requests.map((row) => row.reviewer_team_id).filter((id): id is TeamId => id !== null),
    ),
  ])
  return {
    pair,
    isDraft: isDraft(ctx, issue),
    poster: around.users.get(issue.poster_id),
    merger: pull.merger_id === null ? undefined : people.get(pull.merger_id),
    headRepo: head.repo.id === ctx.repo.id ? undefined : { owner: head.owner.name, name: head.repo.name },
    labels: around.labels.get(issue.id) ?? [],
    milestone: issue.milestone_id === null ? undefined : around.milestones.get(issue.milestone_id),
    assignees: assigneeIds.flatMap((id) => people.get(id) ?? []),
    reviewers: reviewerIds.flatMap((id) => people.get(id) ?? []),
    teams,
  }
}

/** Returns a title with or without the first prefix of drafts. */
export function titleAsDraft(title: string, prefixes: readonly string[], isWanted: boolean): string {
  const held = prefixes.find((prefix) => title.slice(0, prefix.length).toLowerCase() === prefix.toLowerCase())
  if (isWanted) return held === undefined ? `${prefixes[0] ?? 'WIP:'} ${title}` : title
  return held === undefined ? title : title.slice(held.length).trim() || title
}
