import type { SignedInRepoCtx } from '../../access/context.ts'
import type { TeamRow, UserRow } from '../../db/tables/accounts.ts'
import type { Page } from '../../lib/paging.ts'
import { listTeamsOfRepo, loadTeams } from '../../orgs/team.store.ts'
import { reviewersOf } from '../../repos/people/candidate.service.ts'
import { loadUsers } from '../../users/user.store.ts'
import type { PullPair } from '../pull.store.ts'
import { askForReviews, mayAsk, withdrawRequests, type ReviewablePull } from './review-request.service.ts'
import { listReviews } from './review.store.ts'

/** The people and teams that can be asked for a review. */
export interface ReviewChoices {
  readonly people: readonly UserRow[]
  readonly teams: readonly TeamRow[]
}

/** Most people that are offered; the others can be named. */
const offeredAtMost = 100

/** Returns at most 100 people and the teams that the viewer may ask for a review; undefined when they may ask nobody. */
export async function getReviewChoices(ctx: SignedInRepoCtx, pair: ReviewablePull): Promise<ReviewChoices | undefined> {
  if (!(await mayAsk(ctx, pair)).allowed) return undefined
  const page: Page = { number: 1, limit: offeredAtMost, offset: 0 }
  const [people, teams] = await Promise.all([
    reviewersOf(ctx, page),
    ctx.owner.kind === 'organization' ? listTeamsOfRepo(ctx.db, ctx.owner.id, ctx.repo.id) : [],
  ])
  return { people: people.users.filter(({ id }) => id !== pair.issue.poster_id), teams }
}

/** The names of people and teams whose review is waited for. */
interface NamedReviewers {
  readonly reviewers: readonly string[]
  readonly teams: readonly string[]
}

const without = (names: readonly string[], others: readonly string[]): string[] => {
  const known = new Set(others.map((name) => name.toLowerCase()))
  return names.filter((name) => !known.has(name.toLowerCase()))
}

/**
 * Requests reviews of the named people and teams, and withdraws the requests to everybody else.
 * @throws as `askForReviews`; then no request is withdrawn
 */
export async function setRequests(ctx: SignedInRepoCtx, pair: PullPair, wanted: NamedReviewers): Promise<void> {
  const rows = (await listReviews(ctx.db, pair.issue.id)).filter(({ type }) => type === 'request')
  const [people, teams] = await Promise.all([
    loadUsers(
      ctx.db,
      rows.flatMap((row) => row.reviewer_id ?? []),
    ),
    loadTeams(
      ctx.db,
      rows.flatMap((row) => row.reviewer_team_id ?? []),
    ),
  ])
  const reviewers: NamedReviewers = {
    reviewers: [...people.values()].map(({ name }) => name),
    teams: teams.map(({ name }) => name),
  }
  const added = {
    reviewers: without(wanted.reviewers, reviewers.reviewers),
    teams: without(wanted.teams, reviewers.teams),
  }
  const removed = {
    reviewers: without(reviewers.reviewers, wanted.reviewers),
    teams: without(reviewers.teams, wanted.teams),
  }
  if (added.reviewers.length + added.teams.length > 0) await askForReviews(ctx, pair, added)
  if (removed.reviewers.length + removed.teams.length > 0) await withdrawRequests(ctx, pair, removed)
}
