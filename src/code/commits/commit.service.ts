import type { RepoCtx } from '../../access/context.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import type { Commit } from '../../git/git.ts'
import type { Oid } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { findNamedCommit, revisionOrDefault } from './named-commit.service.ts'
import { cleanPath } from '../tree-path.rules.ts'

/** Page size of a path's history, whatever size the query asks for (observed). */
const pathPageSize = 50

interface History {
  /** Branch, tag or commit; empty means the default branch. */
  readonly revision: string | undefined
  /** A file or folder, which may have been deleted. */
  readonly path: string | undefined
  /** Excludes the history of this reference. */
  readonly not: string | undefined
}

/**
 * A page of a history, newest first. Throws `NotFound` for an unknown revision or an untouched path, `Invalid` for an
 * unknown `not`.
 */
export async function listCommits(
  ctx: RepoCtx,
  history: History,
  page: Page,
): Promise<{ commits: readonly Commit[]; total: number }> {
  const { git, repo } = ctx
  const { commit } = await revisionOrDefault(ctx, history.revision)
  const path = cleanPath(history.path ?? '')
  const not = await excluded(ctx, history.not)
  const query = { from: [commit], not, ...(path === '' ? {} : { path }) }
  const limit = path === '' ? page.limit : pathPageSize
  const skip = (page.number - 1) * limit
  const [commits, total] = await Promise.all([
    git.log(repo.git_key, { ...query, skip, limit }),
    git.countCommits(repo.git_key, query),
  ])
  if (path !== '' && total === 0) throw new NotFound(`no commit touches ${path}`, 'path_not_found')
  return { commits, total }
}

async function excluded(ctx: RepoCtx, name: string | undefined): Promise<Oid[]> {
  if (name === undefined || name === '') return []
  const found = await findNamedCommit(ctx.git, ctx.repo.git_key, name)
  if (!found) throw new Invalid(`there is no branch, tag or commit ${name} to leave out`, 'ref_not_found')
  return [found.commit]
}
