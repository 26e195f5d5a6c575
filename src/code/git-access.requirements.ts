import type { RepoCtx } from '../access/context.ts'
import { bodyRefusals, textMember, type Requirement } from '../http/operation.ts'
import { pathText } from '../http/schema.ts'
import { Forbidden, NotFound } from '../lib/errors.ts'
import { escapePath } from '../lib/escape-url.ts'
import { branchRef, isOid, tagRef } from '../lib/refs.ts'
import { listBranchRenames } from './branches/branch.store.ts'
import { mayEditAsMaintainer } from './branches/maintainer-edit.service.ts'
import { getNamedCommit, revisionOrDefault, type NamedCommit } from './commits/named-commit.service.ts'
import { repoWebUrl } from '../repos/repo-url.ts'
import { cleanPath } from './tree-path.rules.ts'

/** The commit that a request names, and the path below it (empty: the root). */
export interface RepoRefCtx extends RepoCtx {
  readonly revision: NamedCommit
  readonly treePath: string
}

/** The revision at the start of a path, and the rest of the path. */
export type RevisionAndPath = Pick<RepoRefCtx, 'revision' | 'treePath'>

/** Leading segments that are tried as a reference name. */
const maxRefParts = 40

/**
 * Splits a path after its longest prefix that is a branch, tag or whole commit id; undefined when there is none
 * (contract, contents: raw and media).
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

/** Splits a path that begins with `branch/`, `tag/` or `commit/`; undefined when the revision does not exist. */
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

/** The path of a renamed branch under its new name, with `branch/` in front; undefined when no branch was renamed. */
export async function renamedBranchPath(ctx: RepoCtx, path: string): Promise<string | undefined> {
  const [kind, ...parts] = path.split('/')
  if (kind !== 'branch' || parts.length === 0) return undefined
  const names = parts.slice(0, maxRefParts).map((_, index) => parts.slice(0, index + 1).join('/'))
  const [renamed] = (await listBranchRenames(ctx.db, ctx.repo.id, names)).toSorted(
    (one, other) => other.old_name.length - one.old_name.length,
  )
  return renamed && `branch/${renamed.new_name}${path.slice('branch/'.length + renamed.old_name.length)}`
}

/**
 * Resolves a page address: `branch/…`, `tag/…`, `commit/…`. An address without a kind, or with a renamed branch, is
 * `movedTo` another. Throws `NotFound` for an unknown revision.
 * @param kind what precedes it in the address, such as `raw`
 */
export async function atWebAddress(
  ctx: RepoCtx,
  kind: string,
  rest: string,
): Promise<RevisionAndPath | { readonly movedTo: string }> {
  const path = cleanPath(rest)
  const typed = await typedRevisionInPath(ctx, path)
  if (typed) return typed
  const { pathname } = new URL(repoWebUrl(ctx))
  const renamed = await renamedBranchPath(ctx, path)
  if (renamed !== undefined) return { movedTo: `${pathname}/${kind}/${escapePath(renamed)}` }
  if (/^(?:branch|tag|commit)\//.test(path)) {
    throw new NotFound('there is no such branch, tag or commit', 'ref_not_found')
  }
  const found = (await revisionInPath(ctx, path)) ?? {
    revision: await revisionOrDefault(ctx, undefined),
    treePath: path,
  }
  const { revision, treePath } = found
  return { movedTo: `${pathname}/${kind}/${revision.kind}/${escapePath(revision.name)}/${escapePath(treePath)}` }
}

const fileParams = { filepath: pathText }

/** `repoRef`: the revision in the query's `ref`, else the default branch; 404 when it does not exist. */
export const repoRef: Requirement<RepoCtx, RevisionAndPath> = {
  codes: ['repoRef'],
  refuses: [404],
  check: (ctx, call) => namedRevision(ctx, call.query['ref'], ''),
}

/** `repoRef` for a path with a file, which begins with the reference when the query has none. */
export const repoRefInPath: Requirement<RepoCtx, RevisionAndPath, typeof fileParams> = {
  codes: ['repoRef'],
  refuses: [404, 422],
  params: fileParams,
  check: (ctx, call) => namedRevision(ctx, call.query['ref'], cleanPath(call.params.filepath)),
}

async function namedRevision(ctx: RepoCtx, revision: unknown, path: string): Promise<RevisionAndPath> {
  const { git, repo } = ctx
  if (typeof revision === 'string' && revision !== '') {
    return { revision: await getNamedCommit(git, repo.git_key, revision), treePath: path }
  }
  const split = path === '' ? undefined : await revisionInPath(ctx, path)
  return split ?? { revision: await getNamedCommit(git, repo.git_key, repo.default_branch), treePath: path }
}

/**
 * `branchWriter`: callers who may write code, or who may edit the branch in the body as maintainers of a pull request's
 * base. Branch protection is checked later (contract, contents: writing).
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
