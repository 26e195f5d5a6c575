import type { RepoCtx } from '../../access/context.ts'
import type { PathEntry } from '../../git/git.ts'
import { NotFound } from '../../lib/errors.ts'
import type { NamedCommit } from '../commits/named-commit.service.ts'
import { revisionOrDefault } from '../commits/named-commit.service.ts'
import { cleanPath } from '../tree-path.rules.ts'

/** What a path is in a revision. */
export type Content =
  | { readonly kind: 'folder'; readonly path: string; readonly entries: readonly PathEntry[] }
  | { readonly kind: 'entry'; readonly entry: PathEntry }

/** The revision and what the path is there; either one unknown is `NotFound`. */
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

async function contentAt(
  git: RepoCtx['git'],
  key: RepoCtx['repo']['git_key'],
  revision: NamedCommit,
  path: string,
): Promise<Content> {
  const found = path === '' ? undefined : await git.findPath(key, revision.commit, path)
  if (path !== '' && !found) throw new NotFound(`there is no ${path} in ${revision.name}`, 'path_not_found')
  if (found && found.type !== 'tree') return { kind: 'entry', entry: found }
  const entries = await git.readTree(key, found?.oid ?? revision.commit)
  return {
    kind: 'folder',
    path,
    entries: entries.map((entry) => ({ ...entry, path: path === '' ? entry.name : `${path}/${entry.name}` })),
  }
}
