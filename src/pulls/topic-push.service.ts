import type { SignedInRepoCtx } from '../access/context.ts'
import { mode } from '../access/rights.ts'
import { transaction, type Tx } from '../db/database.ts'
import type { PullRow } from '../db/tables/pulls.ts'
import type { PushedUpdate, TopicOutcome } from '../git/git-service.ts'
import { issueWebUrl } from '../issues/repo-with-owner.ts'
import { refuseBlocked } from '../issues/issue.service.ts'
import { keptTitle } from '../issues/title.rules.ts'
import { Refusal } from '../lib/errors.ts'
import { branchRef, isZeroOid, zeroOid } from '../lib/refs.ts'
import { nameObjects } from '../refs/changes/ref-door.service.ts'
import { codeOf } from '../refs/git-repository.ts'
import { checkPull } from './pull-check.service.ts'
import { openPull } from './pull-open.service.ts'
import { pullRef } from './pull-ref.ts'
import { findOpenBetween, lockRepo, requestChecksAt, type BranchPair } from './pull.store.ts'
import { visitLines } from './push-hint.ts'
import { describeCommit, readTopicOptions, readTopicRef, topicName, type TopicOptions } from './topic-push.parse.ts'

/** Charges the objects of a push in the transaction that keeps them. */
type Charge = (tx: Tx) => Promise<void>

type Outcome = { readonly outcome: TopicOutcome; readonly lines: readonly string[] }

const refused = (ref: string, message: string): Outcome => ({ outcome: { ref, ok: false, message }, lines: [] })

/** Returns the base branch and the topic that a reference below `refs/for/` names; undefined without an existing branch. */
async function findBase(ctx: SignedInRepoCtx, ref: string) {
  for (const { branch, topic } of readTopicRef(ref)) {
    if (branch === '') continue
    const oid = await ctx.git.readRef(ctx.repo.git_key, branchRef(branch))
    if (oid !== undefined) return { branch, topic, oid }
  }
  return undefined
}

/**
 * Opens or updates pull requests from pushes to `refs/for/<branch>[/<topic>]`, which require read access only. Returns one
 * outcome for each reference. Source: contract (transport: topic flow).
 * @param charge charges the objects of the push in each transaction that keeps them
 */
export async function receiveTopics(
  ctx: SignedInRepoCtx,
  push: { readonly updates: readonly PushedUpdate[]; readonly pushOptions: readonly string[] },
  charge: Charge,
): Promise<{ outcomes: readonly TopicOutcome[]; lines: readonly string[] }> {
  const options = readTopicOptions(push.pushOptions)
  const results: Outcome[] = []
  for (const update of push.updates) results.push(await receiveTopic(ctx, update, options, charge))
  return { outcomes: results.map(({ outcome }) => outcome), lines: results.flatMap(({ lines }) => lines) }
}

async function receiveTopic(
  ctx: SignedInRepoCtx,
  update: PushedUpdate,
  options: TopicOptions,
  charge: Charge,
): Promise<Outcome> {
  const { git, repo } = ctx
  const { ref } = update
  if (ctx.rights.modeOf('pulls') < mode.read) return refused(ref, 'you cannot read pull requests in this repository')
  if (isZeroOid(update.new)) return refused(ref, 'a topic cannot be deleted')
  const base = await findBase(ctx, ref)
  if (!base) return refused(ref, 'the base branch does not exist: push to refs/for/<branch>/<topic>')
  const topic = base.topic || options.topic
  if (topic === '') {
    return refused(ref, 'a topic is missing: push to refs/for/<branch>/<topic> or with -o topic=<topic>')
  }
  const type = (await git.objectInfo(repo.git_key, update.new))?.type
  if (type !== 'commit') return refused(ref, 'only commits can be pushed to refs/for/')
  const route: BranchPair = {
    repoId: repo.id,
    baseBranch: base.branch,
    headRepoId: repo.id,
    headBranch: topicName(ctx.viewer.user.name, topic),
    flow: 1,
  }
  const open = await findOpenBetween(ctx.db, route)
  try {
    return await (open
      ? moveTopic(ctx, update, open, options, charge)
      : openTopic(ctx, update, { ...route, baseOid: base.oid }, options, charge))
  } catch (error) {
    if (error instanceof Refusal) return refused(ref, error.message)
    throw error
  }
}

async function openTopic(
  ctx: SignedInRepoCtx,
  update: PushedUpdate,
  route: BranchPair & { readonly baseOid: PushedUpdate['new'] },
  options: TopicOptions,
  charge: Charge,
): Promise<Outcome> {
  const { git, repo } = ctx
  if (await git.isAncestor(repo.git_key, update.new, route.baseOid)) {
    return refused(update.ref, 'the base branch already contains the commit')
  }
  await refuseBlocked(ctx, [ctx.owner.id])
  const described = describeCommit((await git.readCommit(repo.git_key, update.new)).message)
  const title = keptTitle(options.title) || keptTitle(described.title)
  if (title === '') return refused(update.ref, 'the commit has no title: set one with -o title=<title>')
  const pair = await openPull(ctx, {
    base: { repo, branch: route.baseBranch, oid: route.baseOid },
    head: { repo, branch: route.headBranch, oid: update.new },
    flow: 1,
    title,
    content: options.description || described.description,
    dueUnix: 0,
    milestoneId: undefined,
    labelIds: [],
    assigneeIds: [],
    before: charge,
  })
  return {
    outcome: {
      ref: update.ref,
      ok: true,
      reported: { ref: pullRef(pair.pull.index), old: zeroOid(repo.object_format), new: update.new },
    },
    lines: visitLines(issueWebUrl(ctx, pair.issue), 'new'),
  }
}

async function moveTopic(
  ctx: SignedInRepoCtx,
  update: PushedUpdate,
  pull: PullRow,
  options: TopicOptions,
  charge: Charge,
): Promise<Outcome> {
  const { git, repo } = ctx
  const old = pull.head_oid
  if (old === update.new) return refused(update.ref, 'the pull request is already at this commit')
  const isForward = await git.isAncestor(repo.git_key, old, update.new)
  if (!isForward && !options.isForced) {
    return refused(update.ref, 'the history was rewritten: push with -o force-push=true to allow that')
  }
  // The row of the pull request names the commit before its reference does.
  await nameObjects(ctx, codeOf(repo))
  const isMoved = await transaction(ctx.db, async (tx) => {
    await lockRepo(tx, repo.id)
    if (!(await requestChecksAt(tx, pull, update.new))) return false
    await charge(tx)
    return true
  })
  if (!isMoved) return refused(update.ref, 'the pull request was moved at the same time')
  await checkPull(ctx, pull.id)
  return {
    outcome: {
      ref: update.ref,
      ok: true,
      reported: { ref: pullRef(pull.index), old, new: update.new },
    },
    lines: visitLines(issueWebUrl(ctx, { index: pull.index, is_pull: true }), 'existing'),
  }
}
