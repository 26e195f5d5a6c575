import { findAccountByName } from '../../access/access.store.ts'
import type { RepoCtx } from '../../access/context.ts'
import { accessTo } from '../../access/repo-access.ts'
import type { Commit, ReadFrom } from '../../git/git.ts'
import { NotFound } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { findRelative } from './compare.store.ts'
import { getNamedCommit } from './named-commit.service.ts'

/** Commits shown in a comparison; the total counts all. */
const maxComparedCommits = 1000

export interface Comparison {
  readonly base: Oid
  readonly head: Oid
  /** Reachable from head but not from base, newest first. */
  readonly commits: readonly Commit[]
  readonly total: number
  /** Where these commits can be read. */
  readonly at: ReadFrom
}

/**
 * Compares two revisions given as `base...head`, `base..head` (equivalent), or one name, which is compared with the
 * default branch. The head may be `owner:revision` for a fork. Throws `NotFound` for unknown names.
 */
export async function compareRevisions(ctx: RepoCtx, text: string): Promise<Comparison> {
  const [, baseName, headName] = /^(.*?)\.{2,3}(.*)$/s.exec(text) ?? [text, ctx.repo.default_branch, text]
  const { git, repo } = ctx
  const base = (await getNamedCommit(git, repo.git_key, baseName || repo.default_branch)).commit
  const { head, at } = await headOf(ctx, headName || repo.default_branch)
  const range = { from: [head], not: [base] }
  const [commits, total] = await Promise.all([
    git.log(at, { ...range, limit: maxComparedCommits }),
    git.countCommits(at, range),
  ])
  return { base, head, commits, total, at }
}

/**
 * The head commit and where to read it. A fork's commits are read from the fork, because copied objects would be served
 * as this repository's own.
 */
async function headOf(ctx: RepoCtx, name: string): Promise<Pick<Comparison, 'head' | 'at'>> {
  const { git, repo } = ctx
  const ownHead = async (revision: string) => ({
    head: (await getNamedCommit(git, repo.git_key, revision)).commit,
    at: repo.git_key,
  })
  const colon = name.indexOf(':')
  if (colon < 0) return ownHead(name)
  const ownerName = name.slice(0, colon)
  const revision = name.slice(colon + 1)
  const owner = await findAccountByName(ctx.db, ownerName.toLowerCase())
  if (!owner) throw new NotFound(`there is no account ${ownerName}`, 'user_not_found')
  if (owner.id === repo.owner_id) return ownHead(revision)
  const fork = await findRelative(ctx.db, repo, owner.id)
  const isReadable = fork && (await accessTo(ctx.db, ctx.viewer, owner, fork)).rights.canRead('code')
  if (!isReadable) throw new NotFound(`${ownerName} has no fork of this repository`, 'fork_not_found')
  const head = (await getNamedCommit(git, fork.git_key, revision)).commit
  return { head, at: { key: repo.git_key, with: fork.git_key } }
}
