import type { RepoCtx } from '../../access/context.ts'
import type { Commit, Git, Resolved } from '../../git/git.ts'
import { isValidRefName } from '../../git/refs/ref-name.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import type { GitKey, Oid } from '../../lib/ids.ts'

/** A commit by the name somebody used for it. */
export interface NamedCommit {
  /** What the name is; a full reference counts as a commit (observed). */
  readonly kind: 'branch' | 'tag' | 'commit'
  /** As web addresses show it: an abbreviated id is whole here. */
  readonly name: string
  readonly commit: Oid
}

/**
 * What a text stands for: a branch first, then a tag, then a reference without its `refs/`, then whatever git makes of it (full references, `HEAD`, whole and
 * abbreviated ids). Undefined when it is nothing.
 */
export async function findRevision(git: Git, key: GitKey, text: string): Promise<Resolved | undefined> {
  if (text === '') return undefined
  for (const ref of [`refs/heads/${text}`, `refs/tags/${text}`, `refs/${text}`]) {
    const found = await git.resolveRef(key, ref)
    if (found) return found
  }
  const mayBeMore = text === 'HEAD' || text.startsWith('refs/') || /^[0-9a-f]{4,64}$/i.test(text)
  return mayBeMore ? git.resolve(key, text) : undefined
}

/** Like `findRevision`, for what has a commit. */
export async function findNamedCommit(git: Git, key: GitKey, text: string): Promise<NamedCommit | undefined> {
  const found = await findRevision(git, key, text)
  if (!found?.commit) return undefined
  const { commit, ref } = found
  if (ref === `refs/heads/${text}`) return { kind: 'branch', name: text, commit }
  if (ref === `refs/tags/${text}`) return { kind: 'tag', name: text, commit }
  return { kind: 'commit', name: ref === undefined ? commit : text, commit }
}

/** Like `findNamedCommit`; a name that stands for nothing is `NotFound`. */
export async function getNamedCommit(git: Git, key: GitKey, text: string): Promise<NamedCommit> {
  const found = await findNamedCommit(git, key, text)
  if (!found) throw new NotFound(`there is no branch, tag or commit ${text}`, 'ref_not_found')
  return found
}

/** Refuses what no reference and no id can look like (`Invalid`), before anything is looked up. */
export function checkRevisionName(text: string): void {
  const isFit = text !== '' && (text === 'HEAD' || isValidRefName(`refs/heads/${text}`) || isValidRefName(text))
  if (!isFit) throw new Invalid(`${text} is no valid name of a reference or commit`, 'ref_name_invalid')
}

/** The commit of a `ref` that may be missing: an empty one means the default branch. Unknown ones are `NotFound`. */
export const revisionOrDefault = (ctx: Pick<RepoCtx, 'git' | 'repo'>, ref: string | undefined): Promise<NamedCommit> =>
  getNamedCommit(ctx.git, ctx.repo.git_key, ref || ctx.repo.default_branch)

/** The commit that a path parameter names. A text that cannot be a name is `Invalid`; an unknown name is `NotFound`. */
export async function getCommit({ git, repo }: Pick<RepoCtx, 'git' | 'repo'>, text: string): Promise<Commit> {
  checkRevisionName(text)
  const found = await findNamedCommit(git, repo.git_key, text)
  if (!found) throw new NotFound(`there is no commit ${text}`, 'commit_not_found')
  return git.readCommit(repo.git_key, found.commit)
}
