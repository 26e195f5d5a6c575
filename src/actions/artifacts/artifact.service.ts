import { createHash } from 'node:crypto'
import type { Services } from '../../access/context.ts'
import { refuseOverQuota } from '../../access/quota/quota.service.ts'
import type { UsageSource } from '../../access/quota/usage.ts'
import { addToUsage } from '../../access/quota/usage.store.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { ActionArtifactRow } from '../../db/tables/action-storage.ts'
import { BadRequest, Invalid, NotFound } from '../../lib/errors.ts'
import type { ArtifactId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { findUserById } from '../../users/user.store.ts'
import type { RunningTask } from '../runners/job-token.store.ts'
import { joinParts, newBlobKey, type PartUpload } from '../uploads/part-upload.service.ts'
import {
  countArtifacts,
  deleteArtifactRow,
  deleteBlocks,
  findArtifact,
  findArtifactForUpdate,
  insertArtifact,
  listArtifacts,
  listBlocks,
  listExpired,
  listUnfinished,
  sumArtifacts,
  updateArtifact,
  updateBlockPosition,
  upsertBlock,
} from './artifact.store.ts'

const maxNameBytes = 255
const maxPathBytes = 1024

/** Most parts of an artifact. */
const maxBlocks = 50_000

/** The time after which an unfinished upload is deleted, in seconds. It is longer than a job may run. */
const unfinishedSeconds = 6 * 3600

export const noArtifact = () => new NotFound('the artifact does not exist', 'artifact_not_found')

/** Refuses characters that have a meaning in a file system. */
function checkName(name: string): void {
  if (name === '' || Buffer.byteLength(name) > maxNameBytes || /[\\/":<>|*?\r\n\0]/.test(name)) {
    throw new BadRequest(
      `the name of an artifact has 1 to ${maxNameBytes} bytes and none of the characters \\ / " : < > | * ?`,
      'artifact_name_invalid',
    )
  }
}

/** Counts artifacts and caches for the usage ledger. */
export const artifactUsage: UsageSource = { kinds: ['artifacts'], count: sumArtifacts }

/**
 * Creates an unfinished artifact, or one file of an artifact of protocol version 3. Throws `BadRequest` for a bad name or
 * path, `Invalid` when the run has too many artifacts, and `OverQuota`.
 */
export async function beginArtifact(
  services: Services,
  task: RunningTask,
  wanted: {
    readonly name: string
    readonly path?: string
    readonly version: 3 | 4
    readonly retentionDays?: number | undefined
    readonly isGzip?: boolean
    readonly isZip?: boolean
    readonly sizeBytes?: number
  },
): Promise<ActionArtifactRow> {
  const { name, path = '', version, isGzip = false, isZip = true, sizeBytes = 0 } = wanted
  checkName(name)
  if (Buffer.byteLength(path) > maxPathBytes || path.includes('\0')) {
    throw new BadRequest(`the path of a file has at most ${maxPathBytes} bytes`, 'artifact_path_invalid')
  }
  const owner = await findUserById(services.db, task.ownerId)
  if (owner) await refuseOverQuota(services, owner, 'size:assets:artifacts')
  const { artifactRetentionDays: maxDays } = services.config.actions
  const days = wanted.retentionDays && wanted.retentionDays > 0 ? Math.min(wanted.retentionDays, maxDays) : maxDays
  const { maxArtifacts } = services.config.ingot
  const now = nowUnix(services.clock)
  return transaction(services.db, async (tx) => {
    if ((await countArtifacts(tx, task.runId)) >= maxArtifacts) {
      throw new Invalid(`a run has at most ${maxArtifacts} artifacts ([ingot].MAX_ARTIFACTS)`, 'too_many_artifacts')
    }
    return insertArtifact(tx, {
      repo_id: task.repoId,
      run_id: task.runId,
      name,
      path,
      version,
      is_whole: false,
      is_expired: false,
      is_gzip: isGzip,
      is_zip: isZip,
      size_bytes: sizeBytes,
      stored_bytes: 0,
      blob_key: '',
      created_unix: now,
      expires_unix: now + days * 86_400,
    })
  })
}

/** Returns the access to the parts of an unfinished artifact. */
export const artifactUpload = (services: Services, { id, repo_id }: ActionArtifactRow): PartUpload => ({
  repoId: repo_id,
  maxParts: maxBlocks,
  maxBytes: services.config.ingot.maxArtifact,
  async lock(tx) {
    const row = await findArtifactForUpdate(tx, id)
    return !row || row.is_whole || row.is_expired ? undefined : row
  },
  setReserved: (tx, reservedBytes) => updateArtifact(tx, id, { reserved_bytes: reservedBytes }),
  listParts: (db) => listBlocks(db, id),
  upsertPart: (tx, part) => upsertBlock(tx, { artifact_id: id, ...part }),
  movePart: (tx, key, position) => updateBlockPosition(tx, id, key, position),
  missing: noArtifact,
})

/**
 * Completes an artifact from its parts and replaces an older artifact of the same name. Throws `Invalid` for a wrong size or
 * checksum; then the parts stay.
 */
export async function finishArtifact(
  services: Services,
  artifact: ActionArtifactRow,
  expected: { readonly sizeBytes?: number; readonly sha256?: string } = {},
): Promise<void> {
  const store = services.blobs.actionsArtifacts
  const blocks = await listBlocks(services.db, artifact.id)
  const upload = artifactUpload(services, artifact)
  const key = newBlobKey(artifact.repo_id)
  const stored = await store.put(key, joinParts(services, upload, blocks), { maxBytes: upload.maxBytes, expected })
  const gone = await transaction(services.db, async (tx) => {
    const row = await upload.lock(tx)
    if (!row) return undefined
    const { run_id: runId, name, path, version } = artifact
    const older = await listArtifacts(tx, runId, { isComplete: true, name, path, version }, 100)
    const keys = await deleteRows(tx, older)
    await updateArtifact(tx, artifact.id, {
      is_whole: true,
      reserved_bytes: 0,
      blob_key: key,
      stored_bytes: stored.sizeBytes,
      size_bytes: artifact.is_gzip ? artifact.size_bytes : stored.sizeBytes,
    })
    await deleteBlocks(tx, artifact.id)
    await addToUsage(tx, { repoId: artifact.repo_id }, 'artifacts', stored.sizeBytes - row.reserved_bytes)
    return [...keys, ...blocks.map((block) => block.blob_key)]
  })
  for (const each of gone ?? [key]) await store.delete(each)
  if (!gone) throw noArtifact()
}

/** Deletes the rows of artifacts. Returns their blob keys, which the caller deletes after the commit. */
async function deleteRows(tx: Tx, rows: readonly ActionArtifactRow[]): Promise<string[]> {
  for (const row of rows) {
    await deleteArtifactRow(tx, row.id)
    await addToUsage(tx, { repoId: row.repo_id }, 'artifacts', -row.stored_bytes)
  }
  return rows.map(({ blob_key }) => blob_key)
}

export async function deleteArtifacts(services: Services, rows: readonly ActionArtifactRow[]): Promise<void> {
  const keys = await transaction(services.db, (tx) => deleteRows(tx, rows))
  for (const key of keys) await services.blobs.actionsArtifacts.delete(key)
}

/** Deletes unfinished artifacts and their parts. */
export async function deleteUnfinished(services: Services, rows: readonly ActionArtifactRow[]): Promise<void> {
  for (const row of rows) {
    const blocks = await listBlocks(services.db, row.id)
    await transaction(services.db, async (tx) => {
      const open = await findArtifactForUpdate(tx, row.id)
      if (!open) return
      await deleteArtifactRow(tx, open.id)
      await addToUsage(tx, { repoId: open.repo_id }, 'artifacts', -open.reserved_bytes)
    })
    for (const { blob_key: key } of blocks) await services.blobs.actionsArtifacts.delete(key)
  }
}

/** Returns an unfinished artifact. Throws `NotFound`. */
export async function getOpenArtifact({ db }: Services, id: ArtifactId): Promise<ActionArtifactRow> {
  const row = await findArtifact(db, id)
  if (!row || row.is_whole) throw noArtifact()
  return row
}

const batchSize = 500

/** Deletes artifacts whose upload was never finished. */
async function expireUnfinished(services: Services, signal: AbortSignal): Promise<void> {
  const before = nowUnix(services.clock) - unfinishedSeconds
  while (!signal.aborted) {
    const late = await listUnfinished(services.db, before, batchSize)
    await deleteUnfinished(services, late)
    if (late.length < batchSize) return
  }
}

/** Deletes the content of expired artifacts, whose rows stay, and unfinished uploads. */
export async function expireArtifacts(services: Services, signal: AbortSignal): Promise<void> {
  await expireUnfinished(services, signal)
  while (!signal.aborted) {
    const late = await listExpired(services.db, nowUnix(services.clock), batchSize)
    for (const row of late) {
      const blocks = await listBlocks(services.db, row.id)
      await transaction(services.db, async (tx) => {
        const kept = await findArtifactForUpdate(tx, row.id)
        if (!kept) return
        await updateArtifact(tx, row.id, { is_expired: true, blob_key: '', reserved_bytes: 0 })
        await deleteBlocks(tx, row.id)
        const charged = kept.is_whole ? kept.stored_bytes : kept.reserved_bytes
        await addToUsage(tx, { repoId: row.repo_id }, 'artifacts', -charged)
      })
      for (const key of [row.blob_key, ...blocks.map(({ blob_key }) => blob_key)]) {
        if (key !== '') await services.blobs.actionsArtifacts.delete(key)
      }
    }
    if (late.length < batchSize) return
  }
}

/** Returns the hash that identifies an artifact in the addresses of protocol version 3. */
export const artifactHash = (name: string): string => createHash('md5').update(name).digest('hex')
