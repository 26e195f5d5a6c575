import { randomUUID } from 'node:crypto'
import type { Ctx, RepoCtx, SignedInRepoCtx } from '../access/context.ts'
import type { FileHolder } from '../access/contributions/file-holder.ts'
import { addUpload, removeFiles } from '../attachments/attachment-row.service.ts'
import { attachedName, filesShownIn } from '../attachments/attachment.rules.ts'
import { updateAttachment } from '../attachments/attachment.store.ts'
import {
  checkedName,
  noFile,
  takeUpload,
  takeUploads,
  type AttachRules,
  type Upload,
} from '../attachments/incoming-file.service.ts'
import { addPendingFile } from '../attachments/pending-file.service.ts'
import { claimPendingFiles } from '../attachments/pending-file.store.ts'
import { refuseOverQuota } from '../access/quota/quota.service.ts'
import { addToUsage } from '../access/quota/usage.store.ts'
import { transaction } from '../db/database.ts'
import type { AttachmentRow, NewAttachmentRow } from '../db/tables/issues.ts'
import type { ReleaseRow } from '../db/tables/releases.ts'
import { BadRequest, NotFound } from '../lib/errors.ts'
import type { AttachmentId } from '../lib/ids.ts'
import { nowUnix } from '../lib/time.ts'
import { findFileNamed, findFileOfRelease, findReleaseOfFile, listFilesOfReleases } from './asset.store.ts'
import { checkedAddress, nameByAddress } from './external-asset.rules.ts'
import { mayReadRelease } from './release.policy.ts'
import { getLatestRelease, getReleaseByTag } from './release.service.ts'
import { findReleaseForUpdate } from './release.store.ts'

/** Files that one form takes. */
const mostFilesAtOnce = 20

const noAsset = () => new NotFound('the file of the release does not exist', 'asset_not_found')

/** The permitted types of release files. */
const rulesOf = ({ config }: Ctx): AttachRules => ({
  types: config.repositoryRelease.allowedTypes,
  refusal: BadRequest,
})

/** Returns the files of a release, ordered by name. */
export const getAssets = (ctx: RepoCtx, release: ReleaseRow): Promise<readonly AttachmentRow[]> =>
  listFilesOfReleases(ctx.db, [release.id])

/** Returns a file of a release. Throws `NotFound`. */
export async function getAsset(ctx: RepoCtx, release: ReleaseRow, id: number): Promise<AttachmentRow> {
  const file = await findFileOfRelease(ctx.db, release.id, id as AttachmentId)
  if (!file) throw noAsset()
  return file
}

/**
 * Attaches an uploaded file or the address of an external file to a release. Throws `BadRequest` for both, for neither, and
 * for a file that is not permitted.
 * @param name the name of the file; the default is the uploaded name, or the end of the address
 */
export function attachAsset(
  ctx: SignedInRepoCtx,
  release: ReleaseRow,
  upload: Upload,
  name: string | undefined,
): Promise<AttachmentRow> {
  const rules = rulesOf(ctx)
  return takeUpload(ctx, upload, rules, async (file, { address }) => {
    if (file && address) throw new BadRequest('a file and an address exclude each other', 'asset_ambiguous')
    if (file) return keepAsset(ctx, release, { ...file, external_url: '' })
    if (!address) throw noFile()
    const url = checkedAddress(address)
    return keepAsset(ctx, release, {
      uuid: randomUUID(),
      name: checkedName(name || nameByAddress(url), { ...rules, types: '' }),
      size_bytes: 0,
      blob_key: '',
      sha256: '',
      external_url: address,
    })
  })
}

/**
 * Creates a release with the files that arrive in the form about it. A refused file or release leaves neither.
 * @param sent passes the files on, at most 20, and returns when the fields of the form are known
 * @param create creates the release
 */
export const createReleaseWithFiles = (
  ctx: SignedInRepoCtx,
  sent: Upload,
  create: () => Promise<ReleaseRow>,
): Promise<ReleaseRow> => {
  let count = 0
  const upload: Upload = {
    signal: sent.signal,
    receive: (maxFileBytes, take) =>
      sent.receive(maxFileBytes, async (file) => {
        count += 1
        if (count > mostFilesAtOnce) {
          throw new BadRequest(`a form takes at most ${mostFilesAtOnce} files`, 'asset_too_many', { field: 'files' })
        }
        await refuseOverQuota(ctx, ctx.owner, 'size:assets:attachments:releases')
        await take(file)
      }),
  }
  return takeUploads(ctx, upload, rulesOf(ctx), async (files) => {
    const release = await create()
    if (files.length > 0) {
      await keepAssets(
        ctx,
        release,
        files.map((file) => ({ ...file, external_url: '' })),
      )
    }
    return release
  })
}

type StoredAsset = Pick<NewAttachmentRow, 'uuid' | 'name' | 'size_bytes' | 'blob_key' | 'sha256' | 'external_url'>

const keepAsset = async (ctx: SignedInRepoCtx, release: ReleaseRow, file: StoredAsset): Promise<AttachmentRow> =>
  (await keepAssets(ctx, release, [file]))[0] as AttachmentRow

function keepAssets(
  ctx: SignedInRepoCtx,
  release: ReleaseRow,
  files: readonly StoredAsset[],
): Promise<readonly AttachmentRow[]> {
  return transaction(ctx.db, async (tx) => {
    // The release may have been deleted during a long upload.
    if (!(await findReleaseForUpdate(tx, release.id))) {
      throw new NotFound('the release does not exist', 'release_not_found')
    }
    const owner = { repo_id: release.repo_id, issue_id: null, comment_id: null, release_id: release.id }
    const by = { uploader_id: ctx.viewer.id, created_unix: nowUnix(ctx.clock) }
    const rows: AttachmentRow[] = []
    for (const file of files) rows.push(await addUpload(ctx, tx, { ...file, ...owner, ...by }, ctx.viewer.id))
    return rows
  })
}

/**
 * Stores a file for notes that are being written: the release holds it when notes that show it are saved
 * (`holdShownFiles`).
 */
export const addFileForNotes = (ctx: SignedInRepoCtx, upload: Upload): Promise<AttachmentRow> =>
  addPendingFile(ctx, upload, rulesOf(ctx))

/** Gives the waiting files of the viewer that the notes of a release show to the release. */
export async function holdShownFiles(
  ctx: SignedInRepoCtx,
  { id, repo_id: repoId, content }: ReleaseRow,
): Promise<void> {
  const uuids = filesShownIn(content)
  if (uuids.length === 0) return
  await transaction(ctx.db, async (tx) => {
    if (!(await findReleaseForUpdate(tx, id))) return
    const held = await claimPendingFiles(tx, { repoId, uploaderId: ctx.viewer.id }, uuids, { release_id: id })
    const sizeBytes = held.reduce((sum, file) => sum + file.size_bytes, 0)
    // Waiting files are charged as files of issues. Their upload was checked against the quota of releases too.
    await addToUsage(tx, { repoId }, 'attachments:issues', -sizeBytes)
    await addToUsage(tx, { repoId }, 'attachments:releases', sizeBytes)
  })
}

/** A change of a release file. Empty values change nothing. */
export interface AssetInput {
  readonly name: string | undefined
  /** The address of an external file. */
  readonly address: string | undefined
}

/** Changes the name of a file, and the address of an external one. Throws `BadRequest` for an address of a stored file. */
export async function editAsset(ctx: SignedInRepoCtx, file: AttachmentRow, input: AssetInput): Promise<AttachmentRow> {
  const { name = '', address = '' } = input
  if (address !== '') {
    if (file.external_url === '') {
      throw new BadRequest('a file that is stored here has no other address', 'asset_not_external')
    }
    checkedAddress(address)
  }
  const rules = file.external_url === '' ? rulesOf(ctx) : { ...rulesOf(ctx), types: '' }
  const change = {
    ...(attachedName(name) === '' ? {} : { name: checkedName(name, rules) }),
    ...(address === '' ? {} : { external_url: address }),
  }
  if (Object.keys(change).length === 0) return file
  const edited = await transaction(ctx.db, (tx) => updateAttachment(tx, file.id, change))
  if (!edited) throw noAsset()
  return edited
}

/** Deletes a file of a release. Its content is deleted after the commit. */
export async function removeAsset(ctx: SignedInRepoCtx, file: AttachmentRow): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const [gone] = await removeFiles(tx, file.repo_id, [file.id], ctx.viewer.id)
    if (!gone) throw noAsset()
  })
}

/** The name of the newest release in addresses, unless a tag has this name. */
const latestName = 'latest'

/** Returns a file by the tag of its release and its name; of several, the newest. Throws `NotFound`. */
export async function getAssetNamed(ctx: RepoCtx, tag: string, name: string): Promise<AttachmentRow> {
  const file = await findFileNamed(ctx.db, (await releaseNamed(ctx, tag)).id, name)
  if (!file) throw noAsset()
  return file
}

async function releaseNamed(ctx: RepoCtx, tag: string): Promise<ReleaseRow> {
  try {
    return await getReleaseByTag(ctx, tag)
  } catch (error) {
    if (tag !== latestName || !(error instanceof NotFound)) throw error
    return getLatestRelease(ctx)
  }
}

/** Returns a file of the newest release by its name. Throws `NotFound`. */
export async function getLatestAssetNamed(ctx: RepoCtx, name: string): Promise<AttachmentRow> {
  const file = await findFileNamed(ctx.db, (await getLatestRelease(ctx)).id, name)
  if (!file) throw noAsset()
  return file
}

/** Anyone who can read a release can read its files. Files of a draft need write access to releases. */
export const releaseFiles: FileHolder = {
  async guard(db, file) {
    const release = file.release_id === null ? undefined : await findReleaseOfFile(db, file.release_id)
    return release && { scope: 'repository', mayRead: (rights) => mayReadRelease(rights, release).allowed }
  },
}
