import type { SignedInRepoCtx } from '../access/context.ts'
import type { PushExtras } from '../access/contributions/push-extras.ts'
import { accessTo } from '../access/repo-access.ts'
import { listUnits } from '../access/access.store.ts'
import type { PushedUpdate } from '../git/git-service.ts'
import { issueWebUrl } from '../issues/repo-with-owner.ts'
import { loadReposWithOwners } from '../issues/repo-with-owner.store.ts'
import { escapePath } from '../lib/escape-url.ts'
import { branchOf, isZeroOid } from '../lib/refs.ts'
import { mayEditAsMaintainer } from '../code/branches/maintainer-edit.service.ts'
import { repoWebUrl } from '../repos/repo-url.ts'
import { listOpenByBranch } from './pull.store.ts'
import { createLines, visitLines } from './push-hint.ts'
import { isTopicRef, topicOptions } from './topic-push.parse.ts'
import { receiveTopics } from './topic-push.service.ts'

/** Most branches of one push that get a hint; the limit keeps the output of large pushes short. */
const maxHints = 100

/** Extends pushes with the topic flow, maintainer edits and hints about pull requests. */
export const pullPushExtras = (ctx: SignedInRepoCtx): PushExtras => ({
  isTopic: isTopicRef,
  knownOptions: topicOptions,
  handleTopics: (push, charge) => receiveTopics(ctx, push, charge),
  allows: (update) => maintainsHead(ctx, update),
  hints: (moved) => hintsFor(ctx, moved),
})

/** Returns whether the update moves a head branch that its author opened to maintainers. They may not delete it (contract). */
async function maintainsHead(ctx: SignedInRepoCtx, update: PushedUpdate): Promise<boolean> {
  const branch = branchOf(update.ref)
  if (branch === undefined || isZeroOid(update.new) || isZeroOid(update.old)) return false
  return mayEditAsMaintainer(ctx, branch)
}

/** Returns lines with the address of each pushed branch's pull request or of its creation (contract, transport: hints). */
async function hintsFor(ctx: SignedInRepoCtx, moved: readonly PushedUpdate[]): Promise<string[]> {
  const { repo, owner } = ctx
  // The row dates from before the push, so the first push into an empty repository gets no hint.
  if (!ctx.config.git.pullRequestPushMessage || repo.is_empty) return []
  const branches = moved
    .filter((update) => !isZeroOid(update.new))
    .flatMap((update) => branchOf(update.ref) ?? [])
    .filter((branch) => repo.is_fork || branch !== repo.default_branch)
    .slice(0, maxHints)
  if (branches.length === 0) return []
  const baseId = repo.is_fork && repo.fork_id !== null ? repo.fork_id : repo.id
  const [reposWithOwners, units, open] = await Promise.all([
    loadReposWithOwners(ctx.db, [baseId], [ctx]),
    listUnits(ctx.db, [baseId]),
    listOpenByBranch(ctx.db, 'head', repo.id, branches),
  ])
  const base = reposWithOwners.get(baseId)
  if (!base || !units.some((row) => row.unit === 'pulls')) return []
  const { rights } = baseId === repo.id ? ctx : await accessTo(ctx.db, ctx.viewer, base.owner, base.repo)
  if (!rights.canRead('pulls')) return []
  return branches.flatMap((branch) => {
    const pull = open.find((each) => each.head_branch === branch && each.repo_id === baseId)
    if (pull) {
      return visitLines(issueWebUrl({ config: ctx.config, ...base }, { index: pull.index, is_pull: true }), 'existing')
    }
    const head = baseId === repo.id ? escapePath(branch) : `${owner.name}:${escapePath(branch)}`
    const compare = `${repoWebUrl({ config: ctx.config, ...base })}/compare/${escapePath(base.repo.default_branch)}...${head}`
    return createLines(branch, compare)
  })
}
