import { findAccountByName } from '../../access/access.store.ts'
import type { RepoCtx } from '../../access/context.ts'
import { accessTo } from '../../access/repo-access.ts'
import type { Commit } from '../../git/git.ts'
import { NotFound } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { findRelative } from './compare.store.ts'
import { getNamedCommit } from './named-commit.service.ts'

/** Most commits that a comparison shows; the total counts all. */
const maxComparedCommits = 1000

export interface Comparison {
  readonly base: Oid
  readonly head: Oid
  /** Reachable from head and not from base, newest first. */
  readonly commits: readonly Commit[]
  readonly total: number
}

/**
 * Compares two revisions given as `base...head`, `base..head` (the same list here) or one name, which is compared with the
 * default branch. The head may be `owner:revision` for a fork of that owner. Anything unknown is `NotFound`.
 */
export async function compareRevisions(ctx: RepoCtx, text: string): Promise<Comparison> {
  const [, baseName, headName] = /^(.*?)\.{2,3}(.*)$/s.exec(text) ?? [text, ctx.repo.default_branch, text]
  const { git, repo } = ctx
  const base = (await getNamedCommit(git, repo.git_key, baseName || repo.default_branch)).commit
  const head = await headOf(ctx, headName || repo.default_branch)
  const range = { from: [head], not: [base] }
  const [commits, total] = await Promise.all([
    git.log(repo.git_key, { ...range, limit: maxComparedCommits }),
    git.countCommits(repo.git_key, range),
  ])
  return { base, head, commits, total }
}

/** The commit of a head; that of a fork is made part of this repository when it does not know it yet. */
async function headOf(ctx: RepoCtx, name: string): Promise<Oid> {
  const { git, repo } = ctx
  const colon = name.indexOf(':')
  if (colon < 0) return (await getNamedCommit(git, repo.git_key, name)).commit
  const ownerName = name.slice(0, colon)
  const revision = name.slice(colon + 1)
  const owner = await findAccountByName(ctx.db, ownerName.toLowerCase())
  if (!owner) throw new NotFound(`there is no account ${ownerName}`, 'user_not_found')
  if (owner.id === repo.owner_id) return (await getNamedCommit(git, repo.git_key, revision)).commit
  const fork = await findRelative(ctx.db, repo, owner.id)
  const isReadable = fork && (await accessTo(ctx.db, ctx.viewer, owner, fork)).rights.canRead('code')
  if (!isReadable) throw new NotFound(`${ownerName} has no fork of this repository`, 'fork_not_found')
  const head = (await getNamedCommit(git, fork.git_key, revision)).commit
  const missing = await git.missingObjects(repo.git_key, [head])
  if (missing.length > 0) await git.fetchObjects(fork.git_key, repo.git_key, [head])
  return head
}
