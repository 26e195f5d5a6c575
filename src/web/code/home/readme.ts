import type { RepoCtx } from '../../../access/context.ts'
import type { NamedCommit } from '../../../code/commits/named-commit.service.ts'
import { textOfFile } from '../../../code/contents/file-text.rules.ts'
import { entryKind } from '../../../code/contents/entry-kind.ts'
import { readmeFoldersOf, readmesOf } from '../../../code/contents/folder.service.ts'
import type { PathEntry } from '../../../git/git.ts'
import { escapePath } from '../../../lib/escape-url.ts'
import { markupKind } from '../../../markup/markup-kind.ts'
import { linkedPath } from '../code-paths.ts'
import { markupSettings, renderFileText } from '../../../site/render.service.ts'

/** Larger files are not shown below a folder, in bytes. */
const maxReadmeBytes = 512 * 1024

/** Most files of one folder that are tried. */
const maxCandidates = 10

/** The file that describes a folder. */
export interface Readme {
  readonly name: string
  readonly path: string
  /** Sanitised HTML, or the text of a file that is not rendered. */
  readonly content: { readonly html: string } | { readonly text: string }
}

/** Most symbolic links between a file and its content, as in git's own limit of a chain. */
const maxLinks = 5

/**
 * Returns the file that describes a folder, rendered; undefined without a readable one. A symbolic link shows the file that it leads
 * to, and one that leads nowhere is passed over. The root is also described by a file in `docs/` and in the folders of forges.
 */
export async function readReadme(
  ctx: RepoCtx,
  revision: NamedCommit,
  folder: { readonly isRoot: boolean; readonly entries: readonly PathEntry[] },
): Promise<Readme | undefined> {
  const found = await firstReadme(ctx, revision, readmesOf(folder.entries))
  if (found || !folder.isRoot) return found
  for (const { path, oid } of readmeFoldersOf(folder.entries)) {
    const below = await ctx.git.readTree(ctx.repo.git_key, oid)
    const entries = readmesOf(below).map((entry) => ({ ...entry, path: `${path}/${entry.name}` }))
    const inner = await firstReadme(ctx, revision, entries)
    if (inner) return inner
  }
  return undefined
}

async function firstReadme(
  ctx: RepoCtx,
  revision: NamedCommit,
  candidates: readonly PathEntry[],
): Promise<Readme | undefined> {
  for (const entry of candidates.slice(0, maxCandidates)) {
    const file = await readLinkedFile(ctx, revision, entry)
    if (!file) continue
    const html = await renderedFile(ctx, revision, file.path, file.text)
    return { name: entry.name, path: entry.path, content: html === undefined ? { text: file.text } : { html } }
  }
  return undefined
}

/** Returns the text of a file, or of the file to which a symbolic link leads; undefined for another kind and for a large one. */
async function readLinkedFile(
  { git, repo }: RepoCtx,
  revision: NamedCommit,
  first: PathEntry,
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  let entry: PathEntry | undefined = first
  for (let links = 0; entry?.type === 'blob' && links <= maxLinks; links++) {
    const { content } = await git.readBlob(repo.git_key, entry.oid, { maxBytes: maxReadmeBytes })
    if (!content) return undefined
    if (entryKind(entry) !== 'symlink') {
      const text = textOfFile(content)?.text
      return text === undefined ? undefined : { path: entry.path, text }
    }
    const target = linkedPath(entry.path, content.toString('utf8'))
    entry = target === undefined ? undefined : await git.findPath(repo.git_key, revision.commit, target)
  }
  return undefined
}

/**
 * Returns a file of a rendered kind as sanitised HTML; undefined for another kind.
 * @param idScope for one text of several on the page
 */
export async function renderedFile(
  ctx: RepoCtx,
  revision: Pick<NamedCommit, 'kind' | 'name'>,
  path: string,
  text: string,
  idScope?: string,
): Promise<string | undefined> {
  if (markupKind(path, markupSettings(ctx.config)) === undefined) return undefined
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
  const branchPath = `${revision.kind}/${escapePath(revision.name)}${folder === '' ? '' : `/${escapePath(folder)}`}`
  return renderFileText(
    ctx,
    text.replace(/^\ufeff/, ''),
    path,
    {
      context: `/${ctx.owner.name}/${ctx.repo.name}`,
      branchPath,
      isForPage: true,
      ...(idScope !== undefined && { idScope }),
    },
    ctx,
  )
}
