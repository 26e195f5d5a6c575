import type { RepoCtx } from '../../access/context.ts'
import type { NamedCommit } from '../../code/commits/named-commit.service.ts'
import { textOfFile } from '../../code/contents/file-text.rules.ts'
import { readmeOf } from '../../code/contents/folder.service.ts'
import type { PathEntry } from '../../git/git.ts'
import { escapePath } from '../../lib/escape-url.ts'
import { markupKind } from '../../markup/markup-kind.ts'
import { markupSettings, renderFileText } from '../../site/render.service.ts'

/** Larger files are not shown below a folder, in bytes. */
const maxReadmeBytes = 512 * 1024

/** The file that describes a folder. */
export interface Readme {
  readonly name: string
  readonly path: string
  /** Sanitised HTML, or the text of a file that is not rendered. */
  readonly content: { readonly html: string } | { readonly text: string }
}

/** Returns the file that describes a folder, rendered; undefined without one or when it is too large. */
export async function readReadme(
  ctx: RepoCtx,
  revision: NamedCommit,
  entries: readonly PathEntry[],
): Promise<Readme | undefined> {
  const entry = readmeOf(entries)
  if (!entry) return undefined
  const { content } = await ctx.git.readBlob(ctx.repo.git_key, entry.oid, { maxBytes: maxReadmeBytes })
  const file = content && textOfFile(content)
  if (!file) return undefined
  const { name, path } = entry
  const html = await renderedFile(ctx, revision, path, file.text)
  return { name, path, content: html === undefined ? { text: file.text } : { html } }
}

/** Returns a file of a rendered kind as sanitised HTML; undefined for another kind. */
export async function renderedFile(
  ctx: RepoCtx,
  revision: NamedCommit,
  path: string,
  text: string,
): Promise<string | undefined> {
  if (markupKind(path, markupSettings(ctx.config)) === undefined) return undefined
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
  const branchPath = `${revision.kind}/${escapePath(revision.name)}${folder === '' ? '' : `/${escapePath(folder)}`}`
  return renderFileText(
    ctx,
    text.replace(/^\ufeff/, ''),
    path,
    { context: `/${ctx.owner.name}/${ctx.repo.name}`, branchPath },
    ctx,
  )
}
