import type { Readable } from 'node:stream'
import { mergeBaseOf } from './pull.rules.ts'
import type { RepoCtx } from '../access/context.ts'
import type { Commit, FileChange, DiffQuery } from '../git/git.ts'
import type { Oid } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import { branchRef } from '../lib/refs.ts'
import type { PullPair } from './pull.store.ts'

/** What the base has: its branch as it is now; once merged, or without the branch, where the head left it. */
async function baseOf(ctx: RepoCtx, { pull }: PullPair): Promise<Oid | undefined> {
  const branch = pull.is_merged ? undefined : await ctx.git.readRef(ctx.repo.git_key, branchRef(pull.base_branch))
  return branch ?? mergeBaseOf(pull)
}

/** One page of the commits that a pull request brings, newest first. */
export async function listPullCommits(
  ctx: RepoCtx,
  pair: PullPair,
  page: Page,
): Promise<{ commits: readonly Commit[]; total: number }> {
  const { git, repo } = ctx
  const base = await baseOf(ctx, pair)
  const range = { from: [pair.pull.synced_oid], not: base === undefined ? [] : [base] }
  const [commits, total] = await Promise.all([
    git.log(repo.git_key, { ...range, skip: page.offset, limit: page.limit }),
    git.countCommits(repo.git_key, range),
  ])
  return { commits, total }
}

/** The files that a pull request changes, by path; from the one named by `skipTo` on, when there is one of that name. */
export async function listPullFiles(
  ctx: RepoCtx,
  pair: PullPair,
  options: { readonly whitespace: DiffQuery['whitespace']; readonly skipTo: string | undefined },
): Promise<readonly FileChange[]> {
  const base = mergeBaseOf(pair.pull)
  const files = await ctx.git.diffFiles(ctx.repo.git_key, {
    base,
    head: pair.pull.synced_oid,
    whitespace: options.whitespace ?? 'show-all',
  })
  const start = options.skipTo ? files.findIndex((file) => file.path === options.skipTo) : 0
  return start > 0 ? files.slice(start) : files
}

/** The difference as one text, or as a series of mails, from the merge base to the head. */
export function pullText(
  ctx: RepoCtx,
  { pull }: PullPair,
  options: { readonly kind: string; readonly binary: boolean; readonly signal: AbortSignal },
): Promise<Readable> {
  const range = {
    base: mergeBaseOf(pull),
    head: pull.synced_oid,
    binary: options.binary,
    signal: options.signal,
  }
  const key = ctx.repo.git_key
  return options.kind === 'patch' ? ctx.git.patchSeries(key, range) : ctx.git.diffText(key, range)
}
