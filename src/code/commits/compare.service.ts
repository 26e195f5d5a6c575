import type { RepoCtx } from '../../access/context.ts'
import type { Commit, ReadFrom } from '../../git/git.ts'
import { NotFound } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { findComparedSide, type ComparedSide } from './compared-side.service.ts'
import { getNamedCommit } from './named-commit.service.ts'

/** Commits shown in a comparison; the total counts all. */
const maxComparedCommits = 1000

export interface Comparison {
  readonly base: Oid
  readonly head: Oid
  /** The repository of the head, and how it was named. */
  readonly headSide: ComparedSide
  /** Reachable from head but not from base, newest first. */
  readonly commits: readonly Commit[]
  readonly total: number
  /** Where these commits can be read. */
  readonly at: ReadFrom
}

/**
 * Compares two revisions given as `base...head`, `base..head` (equivalent), or one name, which is compared with the
 * default branch. The head may be `owner:revision` or `owner/repository:revision` of the fork network. Throws `NotFound` for unknown names.
 */
export async function compareRevisions(ctx: RepoCtx, text: string): Promise<Comparison> {
  const [, baseName, headName] = /^(.*?)\.{2,3}(.*)$/s.exec(text) ?? [text, ctx.repo.default_branch, text]
  const { git, repo } = ctx
  const base = (await getNamedCommit(git, repo.git_key, baseName || repo.default_branch)).commit
  const { head, headSide, at } = await headOf(ctx, headName || repo.default_branch)
  const range = { from: [head], not: [base] }
  const [commits, total] = await Promise.all([
    git.log(at, { ...range, limit: maxComparedCommits }),
    git.countCommits(at, range),
  ])
  return { base, head, headSide, commits, total, at }
}

/**
 * The head commit and where to read it. A fork's commits are read from the fork, because copied objects would be served
 * as this repository's own.
 */
async function headOf(ctx: RepoCtx, text: string): Promise<Pick<Comparison, 'head' | 'headSide' | 'at'>> {
  const { git, repo } = ctx
  const headSide = await findComparedSide(ctx, text)
  if (!headSide) throw new NotFound(`${text} is in no fork of this repository`, 'fork_not_found')
  const key = headSide.repo.git_key
  const head = (await getNamedCommit(git, key, headSide.name)).commit
  return { head, headSide, at: headSide.repo.id === repo.id ? key : { key: repo.git_key, with: key } }
}
