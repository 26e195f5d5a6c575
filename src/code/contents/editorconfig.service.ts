import type { RepoCtx } from '../../access/context.ts'
import type { Oid } from '../../lib/ids.ts'
import { editorconfigOf, type EditorconfigProperties } from './editorconfig.rules.ts'

/** Largest `.editorconfig`, in bytes. */
const maxFileBytes = 256 * 1024

/**
 * Returns the properties of a path by the `.editorconfig` at the root of a commit; undefined without that file.
 * @throws WorkTooCostly
 */
export async function getEditorconfig(
  { git, repo, budget }: Pick<RepoCtx, 'git' | 'repo' | 'budget'>,
  commit: Oid,
  path: string,
): Promise<EditorconfigProperties | undefined> {
  const entry = await git.findPath(repo.git_key, commit, '.editorconfig')
  if (entry?.type !== 'blob') return undefined
  const { content } = await git.readBlob(repo.git_key, entry.oid, { maxBytes: maxFileBytes })
  return editorconfigOf(content?.toString('utf8') ?? '', path, budget)
}
