import { findAccountByName, findRepoByName } from '../../access/access.store.ts'
import type { RepoCtx } from '../../access/context.ts'
import { accessTo } from '../../access/repo-access.ts'
import type { Rights } from '../../access/rights.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { findRelative } from './compare.store.ts'
import { isRelated } from './compared-side.rules.ts'

/** One side of a comparison: a revision of a repository, with the viewer's rights there. */
export interface ComparedSide {
  readonly repo: RepoRow
  readonly owner: UserRow
  readonly rights: Rights
  /** A branch, a tag or a commit as it was named. */
  readonly name: string
}

/**
 * Returns the repository and revision that `revision`, `owner:revision` or `owner/repository:revision` names. Without a
 * repository, `owner:` names the owner's fork of this repository, or its origin. Undefined when it does not exist, is not
 * related to this repository, or the viewer may not read its code.
 */
export async function findComparedSide(ctx: RepoCtx, text: string): Promise<ComparedSide | undefined> {
  const [first = '', second, ...more] = text.split(':')
  const here = { repo: ctx.repo, owner: ctx.owner, rights: ctx.rights }
  if (second === undefined) return { ...here, name: first }
  if (more.length > 0) return undefined
  const [ownerName = '', repoName] = first.split('/', 2)
  const owner = await findAccountByName(ctx.db, ownerName.toLowerCase())
  if (!owner) return undefined
  if (owner.id === ctx.owner.id && (repoName === undefined || repoName.toLowerCase() === ctx.repo.lower_name)) {
    return { ...here, name: second }
  }
  const named = repoName === undefined ? undefined : await findRepoByName(ctx.db, owner.id, repoName.toLowerCase())
  const relative = named && isRelated(ctx.repo, named) ? named : undefined
  const repo = repoName === undefined ? await findRelative(ctx.db, ctx.repo, owner.id) : relative
  if (!repo) return undefined
  const { rights } = await accessTo(ctx.db, ctx.viewer, owner, repo)
  return rights.canRead('code') ? { repo, owner, rights, name: second } : undefined
}
