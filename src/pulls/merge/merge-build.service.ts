import type { SignedInRepoCtx } from '../../access/context.ts'
import type { Identity, MergeTreeResult, Sign } from '../../git/git.ts'
import { Conflict } from '../../lib/errors.ts'
import type { GitKey, Oid } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { loadCommitAuthors } from '../../code/commits/commit-authors.ts'
import { signedCommit, type CommitSigning } from '../../refs/signing/signing.service.ts'
import { gitPerson } from '../../users/git-person.ts'
import { findUserById } from '../../users/user.store.ts'
import { withTrailers } from '../../lib/trailers.ts'
import { fillTemplate, joinMessage, splitMessage, templateVariables, type Message } from './merge-message.ts'
import type { BuildStyle } from './merge-style.ts'
import { mergeFacts, readTemplate } from './merge-template.service.ts'
import type { PullPair } from '../pull.store.ts'

/** Returns the viewer as author or committer at the current time. */
export const identityOf = (ctx: SignedInRepoCtx): Identity => ({
  ...gitPerson(ctx.config, ctx.viewer.user),
  unixSeconds: nowUnix(ctx.clock),
  offsetMinutes: 0,
})

/** Returns the refusal for conflicting files. */
export function conflictOf(result: {
  readonly conflicts: readonly string[]
  readonly messages?: readonly string[]
}): Conflict {
  const [path] = result.conflicts
  return new Conflict(
    path === undefined ? 'the two cannot be merged' : `the two cannot be merged: ${path} was changed in both`,
    'merge_conflict',
    { conflicts: result.conflicts.slice(0, 100) },
  )
}

function mustBeClean(merged: MergeTreeResult): Oid {
  if (merged.clean) return merged.tree
  if ('unrelated' in merged) throw new Conflict('the two histories are not related', 'unrelated_histories')
  throw conflictOf(merged)
}

/** Rebases the commits of a head onto a base and returns the new tip. @throws Conflict for conflicts and unrelated histories */
async function rebased(ctx: SignedInRepoCtx, base: Oid, head: Oid, signing: CommitSigning | undefined): Promise<Oid> {
  const key = ctx.repo.git_key
  if ((await ctx.git.mergeBase(key, base, head)) === undefined) {
    throw new Conflict('the two histories are not related', 'unrelated_histories')
  }
  const result = await ctx.git.rebaseCommits(key, {
    onto: base,
    from: head,
    upstream: base,
    ...replayedBy(ctx, signing),
  })
  if (!result.ok) throw conflictOf(result)
  return result.tip
}

/** Returns the committer and the signing of rebased commits. Authors and messages stay as they are. */
export function replayedBy(
  ctx: SignedInRepoCtx,
  signing: CommitSigning | undefined,
): { readonly committer: Identity; readonly sign?: Sign } {
  const person = identityOf(ctx)
  if (!signing) return { committer: person }
  const { committer, sign } = signedCommit(signing, { author: person, committer: person, message: '' })
  return { committer, ...(sign ? { sign } : {}) }
}

/** Rewrites the last commit's message by the repository's template for rebasing, if any, and returns the new tip. */
async function amended(
  ctx: SignedInRepoCtx,
  pair: PullPair,
  base: Oid,
  tip: Oid,
  signing: CommitSigning | undefined,
): Promise<Oid> {
  const template = tip === base ? undefined : await readTemplate(ctx, 'rebase')
  if (template === undefined) return tip
  const last = await ctx.git.readCommit(ctx.repo.git_key, tip)
  const variables = templateVariables(await mergeFacts(ctx, pair), splitMessage(last.message))
  const message = splitMessage(fillTemplate(template, variables))
  if (message.title === '') return tip
  const { oid } = await ctx.git.writeCommit(ctx.repo.git_key, {
    ...signedCommit(signing, { author: last.author, committer: identityOf(ctx), message: joinMessage(message) }),
    parents: last.parents,
    tree: last.tree,
  })
  return oid
}

/** Returns the pull request's author as named in their own commits, else as named in their account. */
async function posterIdentity(ctx: SignedInRepoCtx, pair: PullPair, base: Oid): Promise<Identity | undefined> {
  const poster = await findUserById(ctx.db, pair.issue.poster_id)
  if (!poster) return undefined
  const commits = await ctx.git.log(ctx.repo.git_key, { from: [pair.pull.synced_oid], not: [base], limit: 100 })
  const authors = await loadCommitAuthors(
    ctx,
    commits.map((commit) => commit.author.email),
  )
  const own = commits.find((commit) => authors.of(commit.author.email)?.id === poster.id)
  const person = own ? { name: own.author.name, email: own.author.email } : gitPerson(ctx.config, poster)
  return { ...person, unixSeconds: nowUnix(ctx.clock), offsetMinutes: 0 }
}

async function squashed(
  ctx: SignedInRepoCtx,
  pair: PullPair,
  base: Oid,
  message: Message,
  signing: CommitSigning | undefined,
): Promise<Oid> {
  const key = ctx.repo.git_key
  const tree = mustBeClean(await ctx.git.mergeTree(key, { ours: base, theirs: pair.pull.synced_oid }))
  const committer = identityOf(ctx)
  const author = (await posterIdentity(ctx, pair, base)) ?? committer
  const isSame = author.name === committer.name && author.email === committer.email
  const person = `${author.name} <${author.email}>`
  const commit = {
    author,
    committer,
    message: withTrailers(
      joinMessage(message),
      isSame ? [] : [`Co-authored-by: ${person}`, `Co-committed-by: ${person}`],
    ),
  }
  const { oid } = await ctx.git.writeCommit(key, { ...signedCommit(signing, commit), parents: [base], tree })
  return oid
}

/** Writes a merge commit with two parents; the viewer is author and committer. */
async function joined(
  ctx: SignedInRepoCtx,
  key: GitKey,
  tree: Oid,
  parents: readonly [Oid, Oid],
  message: string,
  signing: CommitSigning | undefined,
): Promise<Oid> {
  const person = identityOf(ctx)
  const commit = signedCommit(signing, { author: person, committer: person, message })
  const { oid } = await ctx.git.writeCommit(key, { ...commit, parents, tree })
  return oid
}

/**
 * Builds the commits of a merge without moving a reference.
 * @param signing the signing of the new commits
 * @param message called only when the style writes a message
 * @returns the new commit of the base branch
 * @throws Conflict for merge conflicts and when the base cannot be fast-forwarded
 */
export async function buildMerge(
  ctx: SignedInRepoCtx,
  pair: PullPair,
  style: BuildStyle,
  base: Oid,
  signing: CommitSigning | undefined,
  message: () => Promise<Message>,
): Promise<Oid> {
  const { git, repo } = ctx
  const join = async (tree: Oid, parents: readonly [Oid, Oid]): Promise<Oid> =>
    joined(ctx, repo.git_key, tree, parents, joinMessage(await message()), signing)
  const head = pair.pull.synced_oid
  switch (style) {
    case 'merge': {
      const tree = mustBeClean(await git.mergeTree(repo.git_key, { ours: base, theirs: head }))
      return join(tree, [base, head])
    }
    case 'rebase':
      return amended(ctx, pair, base, await rebased(ctx, base, head, signing), signing)
    case 'rebase-merge': {
      const tip = await rebased(ctx, base, head, signing)
      const { tree } = await git.readCommit(repo.git_key, tip)
      return join(tree, [base, tip])
    }
    case 'squash':
      return squashed(ctx, pair, base, await message(), signing)
    case 'fast-forward-only':
      if (!(await git.isAncestor(repo.git_key, base, head))) {
        throw new Conflict(
          'the base cannot be fast-forwarded to the head; update the pull request first',
          'no_fast_forward',
        )
      }
      return head
  }
}

/** Merges two commits for an update of a head branch and returns the merge commit. */
export async function mergeInto(
  ctx: SignedInRepoCtx,
  key: typeof ctx.repo.git_key,
  ours: Oid,
  theirs: Oid,
  title: string,
  signing: CommitSigning | undefined,
): Promise<Oid> {
  const tree = mustBeClean(await ctx.git.mergeTree(key, { ours, theirs }))
  return joined(ctx, key, tree, [ours, theirs], `${title}\n`, signing)
}
