import type { Readable } from 'node:stream'
import { mergeBaseOf } from './pull.rules.ts'
import type { RepoCtx } from '../access/context.ts'
import type { Commit, FileChange, DiffQuery } from '../git/git.ts'
import type { Oid } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import { branchRef } from '../lib/refs.ts'
import type { PullPair } from './pull.store.ts'

/** Returns the head of the base branch; the merge base when the pull request is merged or the branch does not exist. */
async function baseOf(ctx: RepoCtx, { pull }: PullPair): Promise<Oid | undefined> {
  const branch = pull.is_merged ? undefined : await ctx.git.readRef(ctx.repo.git_key, branchRef(pull.base_branch))
  return branch ?? mergeBaseOf(pull)
}

/** Returns one page of the pull request's commits, newest first. */
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

/** Returns the files that a pull request changes, ordered by path. Starts at the file `skipTo` when the list has it. */
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

/** Returns the changes from the merge base to the head as one diff, or as a series of patch mails. */
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
