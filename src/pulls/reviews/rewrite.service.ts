import type { RepoCtx } from '../../access/context.ts'
import type { RewrittenCommit } from '../../git/git.ts'
import { NotFound } from '../../lib/errors.ts'
import type { CommentId, Oid } from '../../lib/ids.ts'
import { findComment } from '../../issues/timeline-entry.store.ts'
import { mergeBaseOf } from '../pull.rules.ts'
import type { PullPair } from '../pull.store.ts'
import { readPushEntry, replacedHead } from '../push-entry.rules.ts'

/** Most commits of each version of a branch that are compared. */
const maxCommits = 100

/** How the commits of a branch were rewritten. */
export interface Rewrite {
  readonly commits: readonly RewrittenCommit[]
  /** Some commits were not compared. */
  readonly isBounded: boolean
}

/**
 * Compares the commits of a rewritten branch with those that were reviewed.
 * @param base a commit that both versions contain
 * @returns undefined when commits were only added
 */
export async function getRewrite(
  { git, repo }: Pick<RepoCtx, 'git' | 'repo'>,
  base: Oid,
  reviewed: Oid,
  head: Oid,
): Promise<Rewrite | undefined> {
  const key = repo.git_key
  if (await git.isAncestor(key, reviewed, head)) return undefined
  const countOf = (from: Oid) => git.countCommits(key, { from: [from], not: [base] })
  const [before, now] = await Promise.all([countOf(reviewed), countOf(head)])
  if (before > maxCommits || now > maxCommits) return { commits: [], isBounded: true }
  const { commits, isWhole } = await git.rangeDiff(key, { base, oldHead: reviewed, newHead: head })
  return { commits, isBounded: !isWhole }
}

/** A forced push, as far as its commits exist. */
export interface ForcedPush {
  readonly old: Oid
  readonly new: Oid
  /** Git has deleted the replaced commits. */
  readonly isGone: boolean
  /** Undefined when the commits are gone or were only added. */
  readonly rewrite: Rewrite | undefined
}

/**
 * Returns what a forced push changed, which an entry of the timeline records.
 * @throws NotFound when the pull request has no such entry
 */
export async function getForcedPush(ctx: RepoCtx, { issue, pull }: PullPair, id: CommentId): Promise<ForcedPush> {
  const entry = await findComment(ctx.db, id)
  const heads =
    entry?.issue_id === issue.id && entry.type === 'pull_push' ? replacedHead(readPushEntry(entry.content)) : undefined
  if (heads === undefined) throw new NotFound('the forced push does not exist', 'push_not_found')
  const { git, repo } = ctx
  const key = repo.git_key
  const base = mergeBaseOf(pull)
  const isGone = (await git.missingObjects(key, [heads.old, heads.new])).length > 0
  // The head was rebased since, so the present merge base need not be in its history.
  const shared = isGone || base === undefined ? undefined : await git.mergeBase(key, base, heads.new)
  const rewrite = shared && (await getRewrite(ctx, shared, heads.old, heads.new))
  return { ...heads, isGone, rewrite }
}
