import type { RepoCtx } from '../access/context.ts'
import { bodyRefusals, textMember, type Requirement } from '../http/operation.ts'
import { pathText } from '../http/schema.ts'
import { Forbidden } from '../lib/errors.ts'
import { branchRef, isOid, tagRef } from '../lib/refs.ts'
import { listBranchRenames } from './branches/branch.store.ts'
import { mayEditAsMaintainer } from './branches/maintainer-edit.service.ts'
import { getNamedCommit, type NamedCommit } from './commits/named-commit.service.ts'
import { cleanPath } from './tree-path.rules.ts'

/** A commit that the request names, and the path below it that it names (empty: the root). */
export interface RepoRefCtx extends RepoCtx {
  readonly revision: NamedCommit
  readonly treePath: string
}

/** A revision that a path begins with, and the rest of the path. */
export type RevisionAndPath = Pick<RepoRefCtx, 'revision' | 'treePath'>

/** Most leading parts of a path that are tried as the name of a reference. */
const maxRefParts = 40

/**
 * The longest leading part of a path that names a branch, a tag or a whole commit id, and what is left of the path;
 * undefined when there is none (contract, contents: raw and media).
 */
export async function revisionInPath(ctx: RepoCtx, path: string): Promise<RevisionAndPath | undefined> {
  const { git, repo } = ctx
  const parts = path.split('/')
  for (let count = Math.min(parts.length, maxRefParts); count > 0; count--) {
    const name = parts.slice(0, count).join('/')
    const treePath = parts.slice(count).join('/')
    for (const [kind, ref] of [
      ['branch', branchRef(name)],
      ['tag', tagRef(name)],
    ] as const) {
      const found = await git.resolveRef(repo.git_key, ref)
      if (found?.commit) return { revision: { kind, name, commit: found.commit }, treePath }
    }
    const found = isOid(name) ? await git.resolve(repo.git_key, name) : undefined
    if (found?.commit === name) return { revision: { kind: 'commit', name, commit: found.commit }, treePath }
  }
  return undefined
}

/** The revision and the rest of a path that begins with `branch/`, `tag/` or `commit/`; undefined when there is none. */
export async function typedRevisionInPath(ctx: RepoCtx, path: string): Promise<RevisionAndPath | undefined> {
  const [kind = '', ...parts] = path.split('/')
  if (kind !== 'branch' && kind !== 'tag' && kind !== 'commit') return undefined
  const { git, repo } = ctx
  for (let count = kind === 'commit' ? 1 : Math.min(parts.length, maxRefParts); count > 0; count--) {
    const name = parts.slice(0, count).join('/')
    const found = await (kind === 'commit'
      ? git.resolve(repo.git_key, name)
      : git.resolveRef(repo.git_key, kind === 'branch' ? branchRef(name) : tagRef(name)))
    if (found?.commit && (kind !== 'commit' || found.ref === undefined)) {
      const revision: NamedCommit = { kind, name: kind === 'commit' ? found.commit : name, commit: found.commit }
      return { revision, treePath: parts.slice(count).join('/') }
    }
  }
  return undefined
}

/** The path of a renamed branch under its new name, both with `branch/` in front; undefined when none was renamed. */
export async function renamedBranchPath(ctx: RepoCtx, path: string): Promise<string | undefined> {
  const [kind, ...parts] = path.split('/')
  if (kind !== 'branch' || parts.length === 0) return undefined
  const names = parts.slice(0, maxRefParts).map((_, index) => parts.slice(0, index + 1).join('/'))
  const [renamed] = (await listBranchRenames(ctx.db, ctx.repo.id, names)).toSorted(
    (one, other) => other.old_name.length - one.old_name.length,
  )
  return renamed && `branch/${renamed.new_name}${path.slice('branch/'.length + renamed.old_name.length)}`
}

const fileParams = { filepath: pathText }

/** `repoRef`: the revision that the query's `ref` names, else the default branch; 404 when there is none. */
export const repoRef: Requirement<RepoCtx, RevisionAndPath> = {
  codes: ['repoRef'],
  refuses: [404],
  check: (ctx, call) => namedRevision(ctx, call.query['ref'], ''),
}

/** The same for an operation whose path names a file, and the reference before it where the query names none. */
export const repoRefInPath: Requirement<RepoCtx, RevisionAndPath, typeof fileParams> = {
  codes: ['repoRef'],
  refuses: [404, 422],
  params: fileParams,
  check: (ctx, call) => namedRevision(ctx, call.query['ref'], cleanPath(call.params.filepath)),
}

async function namedRevision(ctx: RepoCtx, asked: unknown, path: string): Promise<RevisionAndPath> {
  const { git, repo } = ctx
  if (typeof asked === 'string' && asked !== '') {
    return { revision: await getNamedCommit(git, repo.git_key, asked), treePath: path }
  }
  const split = path === '' ? undefined : await revisionInPath(ctx, path)
  return split ?? { revision: await getNamedCommit(git, repo.git_key, repo.default_branch), treePath: path }
}

/**
 * `branchWriter`: whoever may write code, or edit the branch that the body names as a maintainer of a pull request's base.
 * Protection of the branch is judged later (contract, contents: writing).
 */
export const branchWriter: Requirement<RepoCtx, object> = {
  codes: ['branchWriter'],
  refuses: [403, ...bodyRefusals],
  async check(ctx, call) {
    const branch = textMember(await call.decodedBody(), 'branch')
    const isWriter = ctx.rights.canWrite('code') || (await mayEditAsMaintainer(ctx, branch || ctx.repo.default_branch))
    if (!isWriter) throw new Forbidden('you may not write to this branch', 'unit_unwritable')
    return {}
  },
}
