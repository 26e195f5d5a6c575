import type { RepoCtx } from '../../access/context.ts'
import { contributionsOf } from '../../access/feature.ts'
import type { PathEntry } from '../../git/git.ts'
import { entryKind } from './entry-kind.ts'
import { textOfFile, type FileText } from './file-text.rules.ts'

/** What is known of a file's content. */
export type FileBody =
  | ({ readonly kind: 'text' } & FileText)
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'binary' | 'large' }
  /** A pointer to a large file outside git. */
  | { readonly kind: 'pointer'; readonly largeSizeBytes: number }

export interface FileView {
  readonly entry: PathEntry
  readonly sizeBytes: number
  readonly body: FileBody
}

/** Reads a file up to the size that pages show. */
export async function getFile(ctx: RepoCtx, entry: PathEntry): Promise<FileView> {
  const { git, repo, config } = ctx
  const { sizeBytes, content } = await git.readBlob(repo.git_key, entry.oid, {
    maxBytes: config.ui.maxDisplayFileSize,
  })
  return { entry, sizeBytes, body: await bodyOf(ctx, entry, content) }
}

async function bodyOf(ctx: RepoCtx, entry: PathEntry, content: Buffer | undefined): Promise<FileBody> {
  if (!content) return { kind: 'large' }
  if (entryKind(entry) === 'symlink') return { kind: 'link', target: content.toString('utf8') }
  const { largeFiles } = contributionsOf(ctx)
  const large = content.length <= (largeFiles?.maxPointerBytes ?? 0) ? await largeFiles?.find(ctx, content) : undefined
  if (large) return { kind: 'pointer', largeSizeBytes: large.sizeBytes }
  const text = textOfFile(content)
  return text ? { kind: 'text', ...text } : { kind: 'binary' }
}
