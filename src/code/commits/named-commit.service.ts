import type { RepoCtx } from '../../access/context.ts'
import type { Commit, Git, Resolved } from '../../git/git.ts'
import { isValidRefName } from '../../lib/ref-name.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import type { GitKey, Oid } from '../../lib/ids.ts'

/** A commit with the name that the caller used. */
export interface NamedCommit {
  /** Kind of the name; a full reference counts as a commit (observed). */
  readonly kind: 'branch' | 'tag' | 'commit'
  /** The name in web addresses; an abbreviated id is expanded. */
  readonly name: string
  readonly commit: Oid
}

/**
 * Resolves a name: a branch, then a tag, then a reference without `refs/`, then what git resolves (full references,
 * `HEAD`, ids). Undefined when nothing matches.
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

/** Like `findRevision`, for objects with a commit. */
export async function findNamedCommit(git: Git, key: GitKey, text: string): Promise<NamedCommit | undefined> {
  const found = await findRevision(git, key, text)
  if (!found?.commit) return undefined
  const { commit, ref } = found
  if (ref === `refs/heads/${text}`) return { kind: 'branch', name: text, commit }
  if (ref === `refs/tags/${text}`) return { kind: 'tag', name: text, commit }
  return { kind: 'commit', name: ref === undefined ? commit : text, commit }
}

/** Like `findNamedCommit`; throws `NotFound` for an unknown name. */
export async function getNamedCommit(git: Git, key: GitKey, text: string): Promise<NamedCommit> {
  const found = await findNamedCommit(git, key, text)
  if (!found) throw new NotFound(`there is no branch, tag or commit ${text}`, 'ref_not_found')
  return found
}

/** Throws `Invalid` for a text that can be neither a reference nor an id. */
export function checkRevisionName(text: string): void {
  const isFit = text !== '' && (text === 'HEAD' || isValidRefName(`refs/heads/${text}`) || isValidRefName(text))
  if (!isFit) throw new Invalid(`${text} is not a valid reference name or commit id`, 'ref_name_invalid')
}

/** The commit of `ref`, or of the default branch when it is empty. Throws `NotFound`. */
export const revisionOrDefault = (ctx: Pick<RepoCtx, 'git' | 'repo'>, ref: string | undefined): Promise<NamedCommit> =>
  getNamedCommit(ctx.git, ctx.repo.git_key, ref || ctx.repo.default_branch)

/** The commit of a path parameter. Throws `Invalid` for a malformed name, `NotFound` for an unknown one. */
export async function getCommit({ git, repo }: Pick<RepoCtx, 'git' | 'repo'>, text: string): Promise<Commit> {
  checkRevisionName(text)
  const found = await findNamedCommit(git, repo.git_key, text)
  if (!found) throw new NotFound(`there is no commit ${text}`, 'commit_not_found')
  return git.readCommit(repo.git_key, found.commit)
}
