import type { RepoCtx } from '../../access/context.ts'
import type { PathEntry } from '../../git/git.ts'
import { NotFound } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import type { NamedCommit } from '../commits/named-commit.service.ts'
import { revisionOrDefault } from '../commits/named-commit.service.ts'
import { cleanPath } from '../tree-path.rules.ts'

/** A folder has the id of its tree; the root has the commit's id. */
interface Folder {
  readonly kind: 'folder'
  readonly path: string
  readonly tree: Oid
}

/** The content at a path. */
export type Content = Folder | { readonly kind: 'entry'; readonly entry: PathEntry }

/** Resolves a revision and a path. Throws `NotFound` for either. */
export async function getContent(
  ctx: RepoCtx,
  ref: string | undefined,
  rawPath: string,
): Promise<{ revision: NamedCommit; ref: string; content: Content }> {
  const { git, repo } = ctx
  const name = ref || repo.default_branch
  const revision = await revisionOrDefault(ctx, name)
  const path = cleanPath(rawPath)
  return { revision, ref: name, content: await contentAt(git, repo.git_key, revision, path) }
}

/** Resolves a revision and its root folder. Throws `NotFound` for a missing revision. */
export async function getRootFolder(
  ctx: RepoCtx,
  ref: string | undefined,
): Promise<{ revision: NamedCommit; ref: string; folder: Folder }> {
  const name = ref || ctx.repo.default_branch
  const revision = await revisionOrDefault(ctx, name)
  return { revision, ref: name, folder: { kind: 'folder', path: '', tree: revision.commit } }
}

async function contentAt(
  git: RepoCtx['git'],
  key: RepoCtx['repo']['git_key'],
  revision: NamedCommit,
  path: string,
): Promise<Content> {
  const found = path === '' ? undefined : await git.findPath(key, revision.commit, path)
  if (path !== '' && !found) throw new NotFound(`there is no ${path} in ${revision.name}`, 'path_not_found')
  if (found && found.type !== 'tree') return { kind: 'entry', entry: found }
  return { kind: 'folder', path, tree: found?.oid ?? revision.commit }
}
