import { randomUUID } from 'node:crypto'
import { refuseOverQuota } from '../access/quota/quota.service.ts'
import { addToUsage, listUsageOf } from '../access/quota/usage.store.ts'
import { attachedName } from '../attachments/attachment.rules.ts'
import { transaction } from '../db/database.ts'
import type { NewAttachmentRow } from '../db/tables/issues.ts'
import { isValidTagName } from '../git/refs/ref-name.ts'
import { Refusal } from '../lib/errors.ts'
import { mapLimited } from '../lib/map-limited.ts'
import { nowUnix } from '../lib/time.ts'
import { checkedAddress } from '../releases/external-asset.rules.ts'
import { keptTitle } from '../issues/title.rules.ts'
import { addNote, reach, timeOr, writerOf, type FilledRun } from './import-run.ts'
import { insertFiles, insertNewRelease, listReleaseTags } from './import-rows.store.ts'
import type { PageOf } from './import-tracker.service.ts'
import { SourceProblem } from './sources/source-problem.ts'
import type { SourceAsset, SourceRelease } from './sources/source.ts'

export type NewFile = Omit<NewAttachmentRow, 'release_id'>

/** Where releases of another server are written. */
export type ReleaseHome = Pick<FilledRun, 'ctx' | 'repo' | 'source' | 'signal' | 'notes' | 'ownAuthor' | 'doer'>

/** Files that are fetched at the same time. */
export const parallelDownloads = 2

const mebibyte = 1024 * 1024

/**
 * Throws `OverQuota` when what an import has brought so far, together with what its owner has, is more than the owner may
 * have.
 */
export async function refuseImportOverQuota({ ctx, repo, owner }: FilledRun): Promise<void> {
  if (!ctx.config.quota.enabled) return
  const brought = await listUsageOf(ctx.db, [repo.id])
  await refuseOverQuota(ctx, owner, 'size:all', Object.fromEntries(brought.map((row) => [row.kind, row.size_bytes])))
}

/** Writes releases with their files. One whose tag has a release already is left out. */
export async function writeReleases(run: FilledRun, page: PageOf<SourceRelease>): Promise<void> {
  const { ctx, repo, source } = run
  const known = new Set(await listReleaseTags(ctx.db, repo.id))
  const atUnix = nowUnix(ctx.clock)
  let added = 0
  for (const release of page.items) {
    const lowerTag = release.tagName.toLowerCase()
    // Those who only follow get what everybody sees.
    const isLeftOut = release.isDraft && run.wanted.mirrorSeconds !== undefined
    if (known.has(lowerTag) || !source || isLeftOut) continue
    if (!isValidTagName(release.tagName)) {
      addNote(run, 'a release whose tag is none was left out')
      continue
    }
    known.add(lowerTag)
    run.signal.throwIfAborted()
    await refuseImportOverQuota(run)
    const files = await mapLimited(release.assets, parallelDownloads, (asset) =>
      fetchAsset(run, homeOf(release), asset),
    )
    const writer = writerOf(run, release.author)
    const createdUnix = timeOr(release.createdUnix, atUnix)
    await transaction(ctx.db, async (tx) => {
      const id = await insertNewRelease(tx, {
        repo_id: repo.id,
        tag_name: release.tagName,
        lower_tag_name: lowerTag,
        target: release.target,
        title: keptTitle(release.title),
        content: release.content,
        is_draft: release.isDraft,
        is_prerelease: release.isPrerelease,
        hides_archive_links: false,
        publisher_id: writer.id,
        original_author: writer.originalAuthor,
        created_unix: createdUnix,
      })
      if (id === undefined) return
      await insertFiles(
        tx,
        files.flatMap((file) => (file ? [{ ...file, release_id: id }] : [])),
      )
      const sizeBytes = files.reduce((sum, file) => sum + (file?.size_bytes ?? 0), 0)
      await addToUsage(tx, { repoId: repo.id }, 'attachments:releases', sizeBytes)
      added += 1
      // The page begins anew after a crash, without the releases that are there.
      await reach(tx, run, { step: page.step, place: page.place, doneCount: page.doneCount + added, added: 1 })
    })
  }
  await transaction(ctx.db, (tx) =>
    reach(tx, run, { step: page.step, place: page.next ?? '', doneCount: page.doneCount + page.items.length }),
  )
}

/** What a file belongs to. */
export interface AssetHome extends Pick<SourceRelease, 'author' | 'createdUnix'> {
  /** Its name in messages. */
  readonly what: string
}

export const homeOf = (release: SourceRelease): AssetHome => ({ ...release, what: `the release ${release.tagName}` })

/** The row of a file, which is in the store then. One that lies elsewhere, or is too large for here, becomes a link. */
export async function fetchAsset(run: ReleaseHome, home: AssetHome, asset: SourceAsset): Promise<NewFile | undefined> {
  const { ctx, repo, source } = run
  const name = attachedName(asset.name)
  if (name === '' || !source) {
    addNote(run, `a file of ${home.what} has no name and was left out`)
    return undefined
  }
  const maxBytes = ctx.config.attachment.maxSize * mebibyte
  const uuid = randomUUID()
  const row = {
    uuid,
    repo_id: repo.id,
    issue_id: null,
    comment_id: null,
    uploader_id: writerOf(run, home.author).id,
    name,
    download_count: Math.min(asset.downloadCount, maxCount),
    created_unix: timeOr(asset.createdUnix, timeOr(home.createdUnix, nowUnix(ctx.clock))),
  }
  if (asset.isExternal || asset.sizeBytes > maxBytes) {
    if (!asset.isExternal) addNote(run, `the file ${name} of ${home.what} is too large, a link leads to it`)
    return linkTo(run, home, asset, row)
  }
  const content = await source.download(asset, maxBytes)
  const blobKey = `${repo.id}/${uuid.slice(0, 2)}/${uuid}`
  try {
    const { sizeBytes, sha256 } = await ctx.blobs.attachments.put(blobKey, content, {
      maxBytes,
      signal: run.signal,
      ...(asset.sizeBytes >= 0 ? { expected: { sizeBytes: asset.sizeBytes } } : {}),
    })
    return { ...row, size_bytes: sizeBytes, blob_key: blobKey, sha256, external_url: '' }
  } catch (error) {
    run.signal.throwIfAborted()
    if (error instanceof Refusal && error.status >= 500) throw error
    throw new SourceProblem(`the file ${name} of ${home.what} did not arrive whole`, { cause: error })
  }
}

/** Largest number of downloads that a column holds. */
const maxCount = 2_147_483_647

function linkTo(
  run: ReleaseHome,
  home: AssetHome,
  asset: SourceAsset,
  row: Omit<NewFile, 'size_bytes' | 'blob_key' | 'sha256' | 'external_url'>,
): NewFile | undefined {
  try {
    checkedAddress(asset.url)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    addNote(run, `the file ${row.name} of ${home.what} has no address that can be linked to, and was left out`)
    return undefined
  }
  return { ...row, size_bytes: 0, blob_key: '', sha256: '', external_url: asset.url }
}
