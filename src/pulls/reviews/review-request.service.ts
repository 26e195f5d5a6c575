import type { Ctx, SignedInRepoCtx } from '../../access/context.ts'
import { mode } from '../../access/rights.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { TeamRow, UserRow } from '../../db/tables/accounts.ts'
import type { PullRow, ReviewRow } from '../../db/tables/pulls.ts'
import { publish } from '../../events/hub.ts'
import type { Attribution } from '../../issues/attribution.ts'
import { insertTimelineEntry } from '../../issues/timeline-entry.store.ts'
import { attributionNow } from '../../issues/issue.service.ts'
import { listUsersWhoMay } from '../../access/conditions/repo-condition.store.ts'
import { Forbidden, Invalid, NotFound } from '../../lib/errors.ts'
import type { ReviewId, TeamId, UserId } from '../../lib/ids.ts'
import { findTeamByName, listTeamsOfRepo } from '../../orgs/team.store.ts'
import { mayApprove } from '../../refs/protection/branch-protection.policy.ts'
import { effectiveRule, type BranchActor } from '../../refs/protection/branch-protection.rules.ts'
import { listBranchRules, type BranchRule } from '../../refs/protection/branch-protection.store.ts'
import { rightsOfUsers, teamIdsOf } from '../../access/user-rights.service.ts'
import { findEmail, findUserById, findUserByName, loadUsers } from '../../users/user.store.ts'
import { factsOf } from '../pull-sync.service.ts'
import type { PullPair } from '../pull.store.ts'
import type { Verdict } from '../../lib/verdict.ts'
import { mayAskForReview } from './review.policy.ts'
import { deleteRequest, findNewestVerdict, insertRequests, type RequestedReviewer } from './review.store.ts'
import { findCollaboration } from './review-right.store.ts'

type RepoAccessContext = Pick<Ctx, 'db' | 'budget'> & Pick<SignedInRepoCtx, 'repo' | 'owner'>

/** Returns the protection rule of the base of a pull request. */
export const ruleFor = async (
  ctx: RepoAccessContext,
  pull: Pick<PullRow, 'base_branch'>,
): Promise<BranchRule | undefined> =>
  effectiveRule(await listBranchRules(ctx.db, ctx.repo.id), pull.base_branch, ctx.budget)

/** Returns whether the verdict of an account is official. */
export async function isOfficialFor(
  ctx: RepoAccessContext,
  rule: BranchRule | undefined,
  user: UserRow,
): Promise<boolean> {
  const [rights, teamIds] = await Promise.all([
    rightsOfUsers(ctx.db, ctx.owner, ctx.repo, [user]),
    teamIdsOf(ctx.db, ctx.owner, user.id),
  ])
  const actor: BranchActor = { id: user.id, rights: rights.get(user.id) ?? noRights, teamIds }
  return mayApprove(rule, actor).allowed
}

const noRights = { canWrite: () => false }

/** A review request to insert. */
export interface PlannedRequest {
  readonly reviewer: RequestedReviewer
  readonly isOfficial: boolean
}

/** Determines which requests are official; a team's request is when the whitelist of approvers names the team (contract). */
export async function planRequests(
  ctx: RepoAccessContext,
  pull: Pick<PullRow, 'base_branch'>,
  reviewers: readonly RequestedReviewer[],
): Promise<PlannedRequest[]> {
  if (reviewers.length === 0) return []
  const rule = await ruleFor(ctx, pull)
  const users = await loadUsers(
    ctx.db,
    reviewers.flatMap((each) => ('userId' in each ? [each.userId] : [])),
  )
  const planned: PlannedRequest[] = []
  for (const each of reviewers) {
    if ('teamId' in each) {
      const isListed = rule?.enable_approvals_whitelist === true && rule.approvals_team_ids.includes(each.teamId)
      planned.push({ reviewer: each, isOfficial: isListed })
      continue
    }
    const user = users.get(each.userId)
    if (user) planned.push({ reviewer: each, isOfficial: await isOfficialFor(ctx, rule, user) })
  }
  return planned
}

/** Inserts review requests with their timeline entries and events. Existing requests are skipped. Returns the new ones. */
export async function recordRequests(
  tx: Tx,
  by: Attribution,
  pull: PullRow,
  requests: readonly PlannedRequest[],
): Promise<ReviewRow[]> {
  const made: ReviewRow[] = []
  for (const { reviewer, isOfficial } of requests) {
    const [review] = await insertRequests(tx, [
      {
        issue_id: pull.issue_id,
        type: 'request',
        reviewer_id: 'userId' in reviewer ? reviewer.userId : null,
        reviewer_team_id: 'teamId' in reviewer ? reviewer.teamId : null,
        is_official: isOfficial,
        created_unix: by.atUnix,
        updated_unix: by.atUnix,
      },
    ])
    if (!review) continue
    made.push(review)
    await recordRequestEvent(tx, by, pull, reviewer, review.id)
  }
  return made
}

async function recordRequestEvent(
  tx: Tx,
  by: Attribution,
  pull: PullRow,
  reviewer: RequestedReviewer,
  made: ReviewId | undefined,
): Promise<void> {
  const entry = await insertTimelineEntry(tx, by, pull.issue_id, {
    type: 'review_request',
    assignee_id: 'userId' in reviewer ? reviewer.userId : null,
    assignee_team_id: 'teamId' in reviewer ? reviewer.teamId : null,
    removed_assignee: made === undefined,
    review_id: made ?? null,
  })
  await publish(tx, 'review.requested', {
    ...factsOf(pull, by.doerId),
    ...('userId' in reviewer ? { reviewerId: reviewer.userId } : { teamId: reviewer.teamId }),
    removed: made === undefined,
    commentId: entry.id,
  })
}

/** The people and teams that a request to add or withdraw review requests names. */
export interface RequestInput {
  readonly reviewers?: readonly string[] | undefined
  readonly teams: readonly string[] | undefined
}

async function personNamed(ctx: SignedInRepoCtx, text: string): Promise<UserRow> {
  const email = text.includes('@') ? await findEmail(ctx.db, text) : undefined
  const user = email ? await findUserById(ctx.db, email.user_id) : await findUserByName(ctx.db, text)
  if (!user || user.kind !== 'individual') throw new NotFound(`there is no user ${text}`, 'user_not_found')
  return user
}

async function teamNamed(ctx: SignedInRepoCtx, name: string): Promise<TeamRow> {
  if (ctx.owner.kind !== 'organization') throw new Invalid('only organizations have teams', 'no_teams')
  const team = await findTeamByName(ctx.db, ctx.owner.id, name.toLowerCase())
  if (!team) throw new NotFound(`there is no team ${name}`, 'team_not_found')
  return team
}

/** The parts of a pull request, which may be about to be opened, that requests depend on. */
export interface ReviewablePull {
  readonly issue: Pick<PullPair['issue'], 'poster_id'>
  readonly pull: Pick<PullRow, 'base_branch'>
}

/**
 * Returns whether the caller may request reviews. Each collaborator may; administrators of the instance need a relation to
 * the pull request like other accounts.
 */
export async function mayAsk(ctx: SignedInRepoCtx, pair: ReviewablePull): Promise<Verdict> {
  const [collaboration, rights] = await Promise.all([
    findCollaboration(ctx.db, ctx.repo.id, ctx.viewer.id),
    // Leaves out the rights of an administrator of the instance.
    rightsOfUsers(ctx.db, ctx.owner, ctx.repo, [{ ...ctx.viewer.user, is_admin: false }]),
  ])
  const isOnTeam =
    ctx.owner.kind === 'organization' &&
    (await teamIdsOf(ctx.db, ctx.owner, ctx.viewer.id)).size > 0 &&
    (rights.get(ctx.viewer.id)?.modeOf('pulls') ?? mode.none) >= mode.read
  return mayAskForReview({
    isPoster: pair.issue.poster_id === ctx.viewer.id,
    isOwner: ctx.owner.id === ctx.viewer.id || (rights.get(ctx.viewer.id)?.isOwner ?? false),
    isCollaborator: collaboration !== undefined,
    isOnTeam,
  })
}

/**
 * Returns the requests to the named people and teams.
 * @throws NotFound for unknown people and teams
 * @throws Invalid for the author, for reviewers without read access, and when the caller may not request reviews
 */
export async function planNamed(
  ctx: SignedInRepoCtx,
  pair: ReviewablePull,
  input: RequestInput,
): Promise<PlannedRequest[]> {
  const { people, teams } = await namedIn(ctx, input)
  const verdict = await mayAsk(ctx, pair)
  if (!verdict.allowed) throw new Invalid(verdict.reason, verdict.code)
  const allowed = await listUsersWhoMay(
    ctx.db,
    ctx,
    people.map((user) => user.id),
    { units: ['pulls'], mode: 1 },
  )
  const readers = new Set(allowed.map((user) => user.id))
  for (const user of people) {
    if (user.id === pair.issue.poster_id) {
      throw new Invalid('the author cannot review their own pull request', 'reviewer_is_poster')
    }
    if (!readers.has(user.id)) throw new Invalid(`${user.name} may not read pull requests here`, 'reviewer_refused')
  }
  if (ctx.repo.is_private && teams.length > 0) {
    const holders = new Set((await listTeamsOfRepo(ctx.db, ctx.owner.id, ctx.repo.id)).map((team) => team.id))
    const outside = teams.find((team) => !holders.has(team.id))
    if (outside) throw new Invalid(`team ${outside.name} has no access to the repository`, 'team_refused')
  }
  return planRequests(ctx, pair.pull, [
    ...people.map((user) => ({ userId: user.id })),
    ...teams.map((team) => ({ teamId: team.id })),
  ])
}

/**
 * Requests reviews from people and teams. Source: contract.
 * @returns the new requests
 * @throws as `planNamed`
 * @throws Forbidden when the pull request is closed and a reviewer has already given a verdict
 */
export async function askForReviews(ctx: SignedInRepoCtx, pair: PullPair, input: RequestInput): Promise<ReviewRow[]> {
  const planned = await planNamed(ctx, pair, input)
  return transaction(ctx.db, async (tx) => {
    if (pair.issue.is_closed) {
      for (const { reviewer } of planned) {
        if ('userId' in reviewer && (await findNewestVerdict(tx, pair.issue.id, reviewer.userId))) {
          throw new Forbidden('reviews of a closed pull request cannot be requested', 'pull_closed')
        }
      }
    }
    return recordRequests(tx, attributionNow(ctx), pair.pull, planned)
  })
}

async function namedIn(ctx: SignedInRepoCtx, input: RequestInput): Promise<{ people: UserRow[]; teams: TeamRow[] }> {
  if ((input.reviewers?.length ?? 0) + (input.teams?.length ?? 0) > maxNamed) {
    throw new Invalid(`one request names at most ${maxNamed} reviewers`, 'too_many_reviewers')
  }
  const people = new Map<UserId, UserRow>()
  for (const text of input.reviewers ?? []) {
    const user = await personNamed(ctx, text)
    people.set(user.id, user)
  }
  const teams = new Map<TeamId, TeamRow>()
  for (const name of input.teams ?? []) {
    const team = await teamNamed(ctx, name)
    teams.set(team.id, team)
  }
  return { people: [...people.values()], teams: [...teams.values()] }
}

/** Most people and teams in one request. */
const maxNamed = 50

/** Withdraws review requests. Reviewers without a request are skipped. Each reviewer may withdraw their own request. */
export async function withdrawRequests(ctx: SignedInRepoCtx, pair: PullPair, input: RequestInput): Promise<void> {
  const { people, teams } = await namedIn(ctx, input)
  const isOnlyOwn = teams.length === 0 && people.every((user) => user.id === ctx.viewer.id)
  if (!isOnlyOwn && !(await mayAsk(ctx, pair)).allowed) {
    throw new Invalid('you may not withdraw review requests here', 'review_request_refused')
  }
  const reviewers: RequestedReviewer[] = [
    ...people.map((user) => ({ userId: user.id })),
    ...teams.map((team) => ({ teamId: team.id })),
  ]
  const by = attributionNow(ctx)
  await transaction(ctx.db, async (tx) => {
    for (const each of reviewers) {
      if (await deleteRequest(tx, pair.issue.id, each)) await recordRequestEvent(tx, by, pair.pull, each, undefined)
    }
  })
}
