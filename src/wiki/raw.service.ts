import type { RepoCtx } from '../access/context.ts'
import { openBlob } from '../code/contents/raw.service.ts'
import { cleanPath } from '../code/tree-path.rules.ts'
import type { FileContent } from '../http/file-reply.ts'
import { NotFound } from '../lib/errors.ts'
import type { Oid } from '../lib/ids.ts'
import { findPage, getWiki } from './page.service.ts'

/** A file of a wiki for a reply. */
export interface WikiFile {
  readonly name: string
  readonly oid: Oid
  readonly content: FileContent
}

/** Returns a file by its path, or a page by its name. Throws `NotFound`, also for folders and links. */
export async function getWikiFile(ctx: RepoCtx, sent: string, signal: AbortSignal): Promise<WikiFile> {
  const wiki = await getWiki(ctx)
  const path = cleanPath(sent)
  const entry = path === '' ? undefined : await ctx.git.findPath(wiki.gitKey, wiki.head, path)
  const isFile = entry?.type === 'blob' && entry.mode !== '120000'
  const found = isFile ? { file: path, oid: entry.oid } : await findPage(ctx, wiki, path)
  if (!found) throw new NotFound(`file "${path}" does not exist in the wiki`, 'path_not_found')
  const { content } = await openBlob({ ...ctx, repo: { id: ctx.repo.id, git_key: wiki.gitKey } }, found.oid, signal)
  return { name: found.file.slice(found.file.lastIndexOf('/') + 1), oid: found.oid, content }
}
