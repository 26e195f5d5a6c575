import { addToUsage } from '../access/quota/usage.store.ts'
import type { Tx } from '../db/database.ts'
import { mapLimited } from '../lib/map-limited.ts'
import type { CommentId, IssueId } from '../lib/ids.ts'
import type { FilledRun } from './import-run.ts'
import { fetchAsset, parallelDownloads, refuseImportOverQuota, type NewFile } from './import-releases.service.ts'
import { insertFiles } from './import-rows.store.ts'
import type { SourceAuthor, SourceFile } from './sources/source.ts'
import type { Unix } from '../lib/time.ts'

/** A text that somebody may have attached files to. */
interface Written {
  readonly number: number
  readonly author: SourceAuthor
  readonly content: string
  readonly createdUnix: Unix
  readonly files?: readonly SourceFile[]
}

/** Rows of files that are in the store, to be written with what they are attached to. */
export interface WithFiles {
  readonly fetched?: readonly NewFile[]
}

/**
 * Fetches the files of texts, and has the texts lead to them where they led to the other server. It is done before the
 * transaction that writes them; what is fetched and not written then is removed with other abandoned files.
 */
export async function fetchFiles<Text extends Written>(
  run: FilledRun,
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
      const there = `/attachments/${file.uuid}`
      if (file.uuid === '') continue
      const here = `/attachments/${row.uuid}`
      if (file.toldUrl.endsWith(there)) content = content.replaceAll(file.toldUrl, here)
      content = content.replaceAll(there, here)
    }
    return { ...text, content, fetched: files.map(({ row }) => row) }
  })
}

/** Writes the rows of files that were fetched, charged to the repository. */
export async function writeFiles(
  tx: Tx,
  run: FilledRun,
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
