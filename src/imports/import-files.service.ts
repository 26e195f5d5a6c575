import { addToUsage } from '../access/quota/usage.store.ts'
import type { Tx } from '../db/database.ts'
import { mapLimited } from '../lib/map-limited.ts'
import type { CommentId, IssueId } from '../lib/ids.ts'
import type { RepositoryRun } from './import-run.ts'
import { fetchAsset, parallelDownloads, refuseImportOverQuota, type NewFile } from './import-releases.service.ts'
import { insertFiles } from './import-rows.store.ts'
import type { SourceAuthor, SourceFile } from './sources/source.ts'
import type { Unix } from '../lib/time.ts'

/** A text that may have attachments. */
interface Written {
  readonly number: number
  readonly author: SourceAuthor
  readonly content: string
  readonly createdUnix: Unix
  readonly files?: readonly SourceFile[]
}

/** Attachment rows whose blobs are stored; they are inserted with their text. */
export interface WithFiles {
  readonly fetched?: readonly NewFile[]
}

/**
 * Fetches the attachments of texts and changes the links to them. It runs before the transaction that inserts the texts; blobs
 * without rows are removed with other abandoned uploads.
 */
export async function fetchFiles<Text extends Written>(
  run: RepositoryRun,
  texts: readonly Text[],
): Promise<readonly (Text & WithFiles)[]> {
  const wanted = texts.flatMap((text) => (text.files ?? []).map((file) => ({ text, file })))
  if (wanted.length === 0) return texts
  await refuseImportOverQuota(run)
  const fetched = await mapLimited(wanted, parallelDownloads, async ({ text, file }) => {
    run.signal.throwIfAborted()
    const row = await fetchAsset(run, { ...text, what: `number ${text.number}` }, file)
    return { text, file, row }
  })
  const byText = Map.groupBy(fetched, ({ text }) => text)
  return texts.map((text) => {
    const files = (byText.get(text) ?? []).flatMap(({ file, row }) => (row ? [{ file, row }] : []))
    let { content } = text
    for (const { file, row } of files) {
      const sourcePath = `/attachments/${file.uuid}`
      if (file.uuid === '') continue
      const localPath = `/attachments/${row.uuid}`
      if (file.sourceUrl.endsWith(sourcePath)) content = content.replaceAll(file.sourceUrl, localPath)
      content = content.replaceAll(sourcePath, localPath)
    }
    return { ...text, content, fetched: files.map(({ row }) => row) }
  })
}

/** Inserts attachment rows and charges their size to the repository. */
export async function writeFiles(
  tx: Tx,
  run: RepositoryRun,
  holders: readonly (WithFiles & { readonly issueId: IssueId; readonly commentId: CommentId | null })[],
): Promise<void> {
  const rows = holders.flatMap(({ fetched = [], issueId, commentId }) =>
    fetched.map((row) => ({ ...row, issue_id: issueId, comment_id: commentId, release_id: null })),
  )
  if (rows.length === 0) return
  await insertFiles(tx, rows)
  const sizeBytes = rows.reduce((sum, row) => sum + row.size_bytes, 0)
  await addToUsage(tx, { repoId: run.repo.id }, 'attachments:issues', sizeBytes)
}
