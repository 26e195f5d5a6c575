import { randomUUID } from 'node:crypto'
import { refuseOverQuota } from '../access/quota/quota.service.ts'
import { addToUsage, listUsageOf } from '../access/quota/usage.store.ts'
import { attachedName } from '../attachments/attachment.rules.ts'
import { transaction } from '../db/database.ts'
import type { NewAttachmentRow } from '../db/tables/issues.ts'
import { isValidTagName } from '../lib/ref-name.ts'
import { Refusal } from '../lib/errors.ts'
import { mapLimited } from '../lib/map-limited.ts'
import { nowUnix } from '../lib/time.ts'
import { checkedAddress } from '../releases/external-asset.rules.ts'
import { keptTitle } from '../issues/title.rules.ts'
import { addNote, progressAfter, reach, timeOr, writerOf, type RepositoryRun } from './import-run.ts'
import { insertFiles, insertNewRelease, listReleaseTags } from './import-rows.store.ts'
import type { PageOf } from './import-page.ts'
import { SourceProblem } from './sources/source-problem.ts'
import type { SourceAsset, SourceRelease } from './sources/source.ts'

export type NewFile = Omit<NewAttachmentRow, 'release_id'>

/** The target of imported releases. */
export type ReleaseTarget = Pick<RepositoryRun, 'ctx' | 'repo' | 'source' | 'signal' | 'notes' | 'ownAuthor' | 'doer'>

/** Files downloaded at the same time. */
export const parallelDownloads = 2

const mebibyte = 1024 * 1024

/** Throws `OverQuota` when the import so far would exceed the quota of its owner. */
export async function refuseImportOverQuota({ ctx, repo, owner }: RepositoryRun): Promise<void> {
  if (!ctx.config.quota.enabled) return
  const usage = await listUsageOf(ctx.db, [repo.id])
  await refuseOverQuota(ctx, owner, 'size:all', Object.fromEntries(usage.map((row) => [row.kind, row.size_bytes])))
}

/** Inserts releases with their files; a release whose tag has one already is skipped. */
export async function writeReleases(run: RepositoryRun, page: PageOf<SourceRelease>): Promise<void> {
  const { ctx, repo, source } = run
  const known = new Set(await listReleaseTags(ctx.db, repo.id))
  const atUnix = nowUnix(ctx.clock)
  let added = 0
  for (const release of page.items) {
    const lowerTag = release.tagName.toLowerCase()
    // Mirrors do not get drafts.
    const isSkipped = release.isDraft && run.wanted.mirrorSeconds !== undefined
    if (known.has(lowerTag) || !source || isSkipped) continue
    if (!isValidTagName(release.tagName)) {
      addNote(run, 'a release with an invalid tag was skipped')
      continue
    }
    known.add(lowerTag)
    run.signal.throwIfAborted()
    await refuseImportOverQuota(run)
    const files = await mapLimited(release.assets, parallelDownloads, (asset) =>
      fetchAsset(run, assetOwnerOf(release), asset),
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
      // After a crash the page starts again and skips the existing releases.
      const { step, position, doneCount } = page
      await reach(tx, run, { step, position, doneCount: doneCount + added, added: { kind: step, count: 1 } })
    })
  }
  await transaction(ctx.db, (tx) => reach(tx, run, progressAfter(page, 0)))
}

/** The object that a file belongs to. */
export interface AssetOwner extends Pick<SourceRelease, 'author' | 'createdUnix'> {
  /** Name of the object in messages. */
  readonly what: string
}

export const assetOwnerOf = (release: SourceRelease): AssetOwner => ({
  ...release,
  what: `the release ${release.tagName}`,
})

/** Stores a file and returns its row. An external file, or one that is too large, becomes a link. */
export async function fetchAsset(
  run: ReleaseTarget,
  home: AssetOwner,
  asset: SourceAsset,
): Promise<NewFile | undefined> {
  const { ctx, repo, source } = run
  const name = attachedName(asset.name)
  if (name === '' || !source) {
    addNote(run, `a file of ${home.what} has no name and was skipped`)
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
    if (!asset.isExternal) addNote(run, `the file ${name} of ${home.what} is too large and became a link`)
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
    throw new SourceProblem(`the file ${name} of ${home.what} could not be downloaded completely`, { cause: error })
  }
}

/** Largest download count that the column holds. */
const maxCount = 2_147_483_647

function linkTo(
  run: ReleaseTarget,
  home: AssetOwner,
  asset: SourceAsset,
  row: Omit<NewFile, 'size_bytes' | 'blob_key' | 'sha256' | 'external_url'>,
): NewFile | undefined {
  try {
    checkedAddress(asset.url)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    addNote(run, `the file ${row.name} of ${home.what} has no valid address and was skipped`)
    return undefined
  }
  return { ...row, size_bytes: 0, blob_key: '', sha256: '', external_url: asset.url }
}
