import type { RepoCtx, SignedInRepoCtx } from '../access/context.ts'
import { transaction, type Tx } from '../db/database.ts'
import type { MilestoneRow } from '../db/tables/issues.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { publish } from '../events/hub.ts'
import { insertTimelineEntry } from '../issues/timeline-entry.store.ts'
import { optionalTime } from '../issues/due-date.rules.ts'
import { attributionNow, changing, getAssignable, openIssue, refuseBlocked } from '../issues/issue.service.ts'
import { findMilestone } from '../issues/milestones/milestone.store.ts'
import { findMentioned, findReferenced, namedByIssue } from '../issues/references/reference.service.ts'
import { keptTitle } from '../issues/title.rules.ts'
import { Conflict, Invalid, NotFound } from '../lib/errors.ts'
import type { LabelId, MilestoneId, Oid } from '../lib/ids.ts'
import { branchRef } from '../lib/refs.ts'
import { must } from '../lib/verdict.ts'
import { nameObjects } from '../refs/changes/ref-door.service.ts'
import { codeOf } from '../refs/git-repository.ts'
import { findComparedSide } from '../code/commits/compared-side.service.ts'
import { findCodeOwners } from './reviews/code-owners.service.ts'
import { checkMergeability, resultOf } from './pull-check.service.ts'
import { factsOf, fetchHead, newCommits, writePullRef } from './pull-sync.service.ts'
import { writePushEntry } from './push-entry.rules.ts'
import { pairsOf } from './pull.service.ts'
import { isDraft } from './pull.rules.ts'
import { mayAllowMaintainerEdit } from './maintainer-edit.policy.ts'
import {
  planNamed,
  planRequests,
  recordRequests,
  type PlannedRequest,
  type RequestInput,
} from './reviews/review-request.service.ts'
import { findOpenBetween, insertPull, lockBranch, lockRepo, type PullPair } from './pull.store.ts'

/** The input of creating a pull request, with the API's names of fields. */
export interface CreatePullInput {
  readonly head: string
  readonly base: string
  readonly title: string
  readonly body?: string | undefined
  readonly assignee?: string | undefined
  readonly assignees?: readonly string[] | undefined
  readonly milestone?: number | undefined
  readonly labels?: readonly number[] | undefined
  readonly dueDate: string | undefined
  /** People and teams whose review is requested. Absent: only the code owners are asked. */
  readonly requested?: RequestInput | undefined
  /** Lets people who may write to the base push to the head. */
  readonly allowsMaintainerEdit?: boolean | undefined
}

/** A branch of a repository and its commit. */
export interface BranchTip {
  readonly repo: RepoRow
  readonly branch: string
  readonly oid: Oid
}

const noBranch = (name: string) => new NotFound(`there is no branch ${name}`, 'branch_not_found')

/** Returns the tip of a branch. @throws NotFound when the branch does not exist */
async function tipOf(ctx: RepoCtx, repo: RepoRow, branch: string): Promise<BranchTip> {
  const oid = branch === '' ? undefined : await ctx.git.readRef(repo.git_key, branchRef(branch))
  if (oid === undefined) throw noBranch(branch)
  return { repo, branch, oid }
}

async function milestoneOf(ctx: RepoCtx, id: number | undefined): Promise<MilestoneRow | undefined> {
  if (!id) return undefined
  const milestone = await findMilestone(ctx.db, ctx.repo.id, id as MilestoneId)
  if (!milestone) throw new NotFound('the milestone does not exist', 'milestone_not_found')
  return milestone
}

/** A validated new pull request. */
export interface NewPull {
  readonly base: BranchTip
  readonly head: BranchTip
  /** 1: the commits come from a push to `refs/for/` and have no head branch. */
  readonly flow: 0 | 1
  readonly title: string
  readonly content: string
  readonly dueUnix: number
  readonly milestoneId: MilestoneId | undefined
  readonly labelIds: readonly LabelId[]
  readonly assigneeIds: Awaited<ReturnType<typeof getAssignable>>
  /** Review requests beside those to the code owners. */
  readonly requests?: readonly PlannedRequest[] | undefined
  readonly allowsMaintainerEdit?: boolean | undefined
  /** Runs first in the transaction; an error prevents the pull request. */
  readonly before?: (tx: Tx) => Promise<void>
}

/** The new pull request, and the milestone in its earlier state, which the reply shows. */
export interface OpenedPull extends PullPair {
  readonly milestone: MilestoneRow | undefined
}

/** Opens a pull request and checks whether it can be merged. Refusals follow the order of the contract. */
export async function createPull(ctx: SignedInRepoCtx, input: CreatePullInput): Promise<OpenedPull> {
  if (input.head === input.base) throw new Invalid('head and base are the same branch', 'same_branches')
  const from = await findComparedSide(ctx, input.head)
  if (!from) throw new NotFound(`there is no repository for ${input.head}`, 'head_not_found')
  const base = await tipOf(ctx, ctx.repo, input.base)
  const head = await tipOf(ctx, from.repo, from.name)
  if (from.repo.id === ctx.repo.id && head.branch === base.branch) {
    throw new Invalid('head and base are the same branch', 'same_branches')
  }
  await refuseSecond(ctx, { base, head, flow: 0 })
  const milestone = await milestoneOf(ctx, input.milestone)
  const names = [...(input.assignee ? [input.assignee] : []), ...(input.assignees ?? [])]
  const assigneeIds = await getAssignable(ctx, names)
  await refuseBlocked(ctx, [ctx.owner.id])
  const title = keptTitle(input.title)
  if (title === '') throw new Invalid('[Title]: is empty', 'invalid', { field: 'title' })
  if (input.allowsMaintainerEdit) must(mayAllowMaintainerEdit(from.rights))
  const opened = { issue: { poster_id: ctx.viewer.id }, pull: { base_branch: base.branch } }
  const requests = input.requested && (await planNamed(ctx, opened, input.requested))
  const pair = await openPull(ctx, {
    base,
    head,
    flow: 0,
    title,
    content: input.body ?? '',
    dueUnix: optionalTime(input.dueDate, 'due_date'),
    milestoneId: milestone?.id,
    labelIds: (input.labels ?? []) as LabelId[],
    assigneeIds,
    requests,
    allowsMaintainerEdit: input.allowsMaintainerEdit,
  })
  return { ...pair, milestone }
}

const routeOf = (sides: Pick<NewPull, 'base' | 'head' | 'flow'>) => ({
  repoId: sides.base.repo.id,
  baseBranch: sides.base.branch,
  headRepoId: sides.head.repo.id,
  headBranch: sides.head.branch,
  flow: sides.flow,
})

const secondRefused = (index: number) =>
  new Conflict(`pull request ${index} is already open for these branches`, 'pull_exists', { index })

async function refuseSecond(ctx: RepoCtx, sides: Pick<NewPull, 'base' | 'head' | 'flow'>): Promise<void> {
  const open = await findOpenBetween(ctx.db, routeOf(sides))
  if (open) throw secondRefused(open.index)
}

/** Returns the open pull request between two branches, which makes a second one impossible. */
export async function findOpenPull(
  ctx: RepoCtx,
  base: string,
  head: { readonly repo: RepoRow; readonly name: string },
): Promise<PullPair | undefined> {
  const route = {
    repoId: ctx.repo.id,
    baseBranch: base,
    headRepoId: head.repo.id,
    headBranch: head.name,
    flow: 0,
  } as const
  const pull = await findOpenBetween(ctx.db, route)
  return pull && (await pairsOf(ctx, [pull]))[0]
}

/** Attempts of opening when a branch moves meanwhile; the last attempt accepts the commits that it read. */
const maxAttempts = 3

/**
 * Creates a pull request with its timeline, review requests, events and reference.
 * @throws Conflict when an open pull request for the same branches exists, also for concurrent calls
 */
export async function openPull(ctx: SignedInRepoCtx, input: NewPull): Promise<PullPair> {
  let sides = input
  for (let attempt = 1; ; attempt++) {
    const pair = await tryToOpen(ctx, sides, attempt === maxAttempts)
    if (pair) {
      await writePullRef(ctx, ctx.repo, pair.pull, pair.pull.head_oid, ctx.viewer.id)
      return pair
    }
    const base = await tipOf(ctx, sides.base.repo, sides.base.branch)
    const head = input.flow === 1 ? sides.head : await tipOf(ctx, sides.head.repo, sides.head.branch)
    sides = { ...sides, base, head }
  }
}

/** Opens the pull request; undefined when a push moved a branch after its commit was read. */
async function tryToOpen(ctx: SignedInRepoCtx, input: NewPull, isLast: boolean): Promise<PullPair | undefined> {
  const { repo } = ctx
  const { base, head } = input
  await fetchHead(ctx, repo, head)
  // The row of the pull request is there before its reference.
  await nameObjects(ctx, codeOf(repo))
  const checked = await checkMergeability(ctx, repo, base.oid, head.oid)
  const commits = await newCommits(ctx, repo, head.oid, [base.oid])
  const named = await namedByIssue(ctx, input)
  const [references, mentioned] = await Promise.all([
    findReferenced(ctx, named),
    findMentioned(ctx, { is_pull: true }, named),
  ])
  const owners = isDraft(ctx, input) ? [] : await findCodeOwners(ctx, checked.files, ctx.viewer.id)
  const requests = await planRequests(ctx, { base_branch: base.branch }, owners)
  const by = attributionNow(ctx)
  return changing(() =>
    transaction(ctx.db, async (tx): Promise<PullPair | undefined> => {
      await lockRepo(tx, repo.id)
      await input.before?.(tx)
      // The locks make the recording of a push wait for this commit, after which it finds the new row.
      for (const side of input.flow === 1 ? [base] : [base, head]) {
        const recorded = await lockBranch(tx, side.repo.id, side.branch)
        if (recorded !== side.oid && !isLast) return undefined
      }
      const open = await findOpenBetween(tx, routeOf(input))
      if (open) throw secondRefused(open.index)
      const issue = await openIssue(tx, by, ctx, {
        isPull: true,
        title: input.title,
        content: input.content,
        ref: '',
        dueUnix: input.dueUnix,
        milestoneId: input.milestoneId,
        labelIds: input.labelIds,
        assigneeIds: input.assigneeIds,
        references,
        mentioned,
      })
      const pull = await insertPull(tx, {
        issue_id: issue.id,
        repo_id: repo.id,
        index: issue.index,
        base_branch: base.branch,
        head_repo_id: head.repo.id,
        head_branch: head.branch,
        flow: input.flow,
        head_oid: head.oid,
        synced_oid: head.oid,
        allow_maintainer_edit: input.allowsMaintainerEdit ?? false,
        merger_id: null,
        ...resultOf(checked),
      })
      if (commits.length > 0) {
        await insertTimelineEntry(tx, by, issue.id, {
          type: 'pull_push',
          content: writePushEntry({ isForced: false, commits }),
        })
      }
      await publish(tx, 'pull.opened', factsOf(pull, by.doerId))
      await recordRequests(tx, by, pull, [...requests, ...(input.requests ?? [])])
      return { issue, pull }
    }),
  )
}
