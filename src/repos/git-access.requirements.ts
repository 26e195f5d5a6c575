import type { RepoCtx } from '../access/context.ts'
import type { Call, Requirement } from '../http/operation.ts'
import { Forbidden } from '../lib/errors.ts'
import { findNamedCommit, getNamedCommit, type NamedCommit } from './named-commit.service.ts'
import { cleanPath } from './tree-path.policy.ts'

/** A commit that the request names, and the path below it that it names (empty: the root). */
export interface RepoRefCtx extends RepoCtx {
  readonly revision: NamedCommit
  readonly treePath: string
}

/** Most leading parts of a path that are tried as the name of a reference. */
const maxRefParts = 40

/**
 * The longest leading part of a path that names a branch, a tag or a whole commit id; the default branch and the whole
 * path when there is none (contract, contents: raw and media).
 */
async function splitPath(ctx: RepoCtx, path: string): Promise<{ revision: NamedCommit; treePath: string } | undefined> {
  const { git, repo } = ctx
  const parts = path.split('/')
  for (let count = Math.min(parts.length, maxRefParts); count > 0; count--) {
    const name = parts.slice(0, count).join('/')
    const found = await findNamedCommit(git, repo.git_key, name)
    const isNamed = found && (found.kind !== 'commit' || found.commit === name)
    if (isNamed) return { revision: found, treePath: parts.slice(count).join('/') }
  }
  return undefined
}

/** `repoRef`: the revision that the query's `ref` names or the path begins with, else the default branch; 404 when there is none. */
export const repoRef: Requirement<RepoCtx, Pick<RepoRefCtx, 'revision' | 'treePath'>> = {
  codes: ['repoRef'],
  async check(ctx: RepoCtx, call: Call) {
    const { git, repo } = ctx
    const path = call.params['*'] === undefined ? '' : cleanPath(String(call.params['*']))
    const asked = call.query['ref']
    if (typeof asked === 'string' && asked !== '') {
      return { revision: await getNamedCommit(git, repo.git_key, asked), treePath: path }
    }
    const split = path === '' ? undefined : await splitPath(ctx, path)
    return split ?? { revision: await getNamedCommit(git, repo.git_key, repo.default_branch), treePath: path }
  },
}

/**
 * `branchWriter`: whoever may write code, or edit the branch that the body names as a maintainer of a pull request's base.
 * Protection of the branch is judged later (contract, contents: writing).
 */
export const branchWriter: Requirement<RepoCtx, object> = {
  codes: ['branchWriter'],
  check({ rights }) {
    if (!rights.canWrite('code')) throw new Forbidden('you may not write to this branch', 'unit_unwritable')
    return {}
  },
}
