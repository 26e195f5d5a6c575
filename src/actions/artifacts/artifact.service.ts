import { createHash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Services } from '../../access/context.ts'
import { refuseOverQuota } from '../../access/quota/quota.service.ts'
import { adjustReserved, reservePart, type UnfinishedUpload } from '../../access/quota/reservation.service.ts'
import type { UsageSource } from '../../access/quota/usage.ts'
import { addToUsage } from '../../access/quota/usage.store.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { ActionArtifactBlockRow, ActionArtifactRow } from '../../db/tables/actions.ts'
import { BadRequest, Invalid, NotFound } from '../../lib/errors.ts'
import type { ArtifactId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { findRepoById } from '../../repos/repo.store.ts'
import { findUserById } from '../../users/user.store.ts'
import type { RunningTask } from '../runners/job-token.store.ts'
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

/** Longest name and path, in bytes. */
const maxNameBytes = 255
const maxPathBytes = 1024

/** Most parts that an artifact is sent in. */
const maxBlocks = 50_000

/** How long an artifact may take until it is whole, in seconds: jobs end before. */
const unfinishedSeconds = 6 * 3600

export const noArtifact = () => new NotFound('there is no such artifact', 'artifact_not_found')

/** Names have no characters that some file system gives a meaning. */
function checkName(name: string): void {
  if (name === '' || Buffer.byteLength(name) > maxNameBytes || /[\\/":<>|*?\r\n\0]/.test(name)) {
    throw new BadRequest('this is no name for an artifact', 'artifact_name_invalid')
  }
}

/** What artifacts are counted by in the ledger of stored bytes. */
export const artifactUsage: UsageSource = { kinds: ['artifacts'], count: sumArtifacts }

/**
 * Begins an artifact, or one file of an artifact of the older protocol. Names that files may not have are `BadRequest`, too many
 * `Invalid`; an owner over quota is `OverQuota`.
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
    throw new BadRequest('this is no path for a file', 'artifact_path_invalid')
  }
  const owner = await findUserById(services.db, task.ownerId)
  if (owner) await refuseOverQuota(services, owner, 'size:assets:artifacts')
  const most = services.config.actions.artifactRetentionDays
  const days = wanted.retentionDays && wanted.retentionDays > 0 ? Math.min(wanted.retentionDays, most) : most
  const now = nowUnix(services.clock)
  return transaction(services.db, async (tx) => {
    if ((await countArtifacts(tx, task.runId)) >= services.config.ingot.maxArtifacts) {
      throw new Invalid('the run has too many artifacts', 'too_many_artifacts')
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

/** Files of a repository lie together, so that they go with it. Names of ours are never given twice. */
const newKey = ({ repo_id }: Pick<ActionArtifactRow, 'repo_id'>): string => `${repo_id}/${randomUUID()}`

/** Charges the bytes of a part before they arrive. @returns how many it may have; an owner over quota is `OverQuota` */
async function reserve(services: Services, artifact: ActionArtifactRow, sizeBytes: number): Promise<number> {
  const repo = await findRepoById(services.db, artifact.repo_id)
  const owner = repo && (await findUserById(services.db, repo.owner_id))
  if (!owner) throw noArtifact()
  return transaction(services.db, async (tx) => {
    const row = await findArtifactForUpdate(tx, artifact.id)
    if (!row || row.is_whole || row.is_expired) throw noArtifact()
    const maxBytes = services.config.ingot.maxArtifact
    return reservePart(services, tx, owner, uploadOf(row), { sizeBytes, maxBytes })
  })
}

const uploadOf = (row: ActionArtifactRow): UnfinishedUpload => ({
  repoId: row.repo_id,
  kind: 'artifacts',
  subject: 'size:assets:artifacts',
  reservedBytes: row.reserved_bytes,
  setReserved: (tx, reservedBytes) => updateArtifact(tx, row.id, { reserved_bytes: reservedBytes }),
})

/** Changes what an unfinished artifact is charged. One that is whole or gone has settled its reservations. */
async function adjust(tx: Tx, row: ActionArtifactRow | undefined, differenceBytes: number): Promise<boolean> {
  if (!row || row.is_whole || row.is_expired) return false
  await adjustReserved(tx, uploadOf(row), differenceBytes)
  return true
}

/**
 * Takes a part of an artifact. An owner over quota is `OverQuota`.
 * @param part by which name, and where it belongs: undefined is behind all others
 * @param sizeBytes most bytes that it may have
 * @param isExact whether it must have as many
 * @param md5 what its bytes must be, in base64; another is `Invalid`
 */
export async function addBlock(
  services: Services,
  artifact: ActionArtifactRow,
  part: { readonly key?: string | undefined; readonly position?: number | undefined },
  content: Readable,
  {
    md5,
    sizeBytes,
    isExact = false,
    signal,
  }: {
    readonly md5?: string | undefined
    readonly sizeBytes: number
    readonly isExact?: boolean
    readonly signal: AbortSignal
  },
): Promise<void> {
  const store = services.blobs.actionsArtifacts
  const before = await listBlocks(services.db, artifact.id)
  if (before.length >= maxBlocks) throw new Invalid('the artifact comes in too many parts', 'too_many_blocks')
  const key = newKey(artifact)
  const reserved = await reserve(services, artifact, sizeBytes)
  const giveBack = () =>
    transaction(services.db, async (tx) => adjust(tx, await findArtifactForUpdate(tx, artifact.id), -reserved))
  const stored = await store
    .put(key, content, {
      maxBytes: reserved,
      digests: ['md5'],
      ...(isExact ? { expected: { sizeBytes } } : {}),
      signal,
    })
    .catch(async (error: unknown) => {
      await giveBack()
      throw error
    })
  const isRight = md5 === undefined || Buffer.from(stored.digests.md5 ?? '', 'hex').toString('base64') === md5
  let replaced: ActionArtifactBlockRow | undefined
  const isKept =
    isRight &&
    (await transaction(services.db, async (tx) => {
      const row = await findArtifactForUpdate(tx, artifact.id)
      if (!row || row.is_whole || row.is_expired) return false
      const blocks = await listBlocks(tx, artifact.id)
      const position = part.position ?? (blocks.at(-1)?.position ?? -1) + 1
      const blockKey = part.key ?? `at ${position}`
      replaced = blocks.find(({ block_key }) => block_key === blockKey)
      await upsertBlock(tx, {
        artifact_id: artifact.id,
        block_key: blockKey,
        position,
        size_bytes: stored.sizeBytes,
        blob_key: key,
      })
      return adjust(tx, row, stored.sizeBytes - reserved - (replaced?.size_bytes ?? 0))
    }))
  if (!isRight) await giveBack()
  if (!isKept) await store.delete(key)
  if (replaced) await store.delete(replaced.blob_key)
  if (!isRight) throw new Invalid('the bytes are not what their checksum says', 'checksum_mismatch')
  if (!isKept) throw noArtifact()
}

/** Puts the parts of an artifact into the order of their names; those that are not named go. */
export async function orderBlocks(
  services: Services,
  artifact: ActionArtifactRow,
  keys: readonly string[],
): Promise<void> {
  if (keys.length > maxBlocks) throw new Invalid('the artifact comes in too many parts', 'too_many_blocks')
  await transaction(services.db, async (tx) => {
    await findArtifactForUpdate(tx, artifact.id)
    const known = new Set((await listBlocks(tx, artifact.id)).map(({ block_key }) => block_key))
    const missing = keys.find((key) => !known.has(key))
    if (missing !== undefined) throw new BadRequest('a part of the list has not arrived', 'block_missing')
    for (const [position, key] of keys.entries()) await updateBlockPosition(tx, artifact.id, key, position)
  })
}

/**
 * Makes an artifact of its parts; it takes the place of one of the same name. Another size or checksum than announced is
 * `Invalid`, and the parts stay.
 */
export async function finishArtifact(
  services: Services,
  artifact: ActionArtifactRow,
  expected: { readonly sizeBytes?: number; readonly sha256?: string } = {},
): Promise<void> {
  const store = services.blobs.actionsArtifacts
  const blocks = await listBlocks(services.db, artifact.id)
  async function* content(): AsyncGenerator<Buffer> {
    for (const { blob_key: key } of blocks) {
      const blob = await store.get(key)
      if (!blob) throw noArtifact()
      for await (const chunk of blob.stream) yield chunk as Buffer
    }
  }
  const key = newKey(artifact)
  const stored = await store.put(key, Readable.from(content()), {
    maxBytes: services.config.ingot.maxArtifact,
    expected,
  })
  const gone = await transaction(services.db, async (tx) => {
    const row = await findArtifactForUpdate(tx, artifact.id)
    if (!row || row.is_whole || row.is_expired) return undefined
    const { run_id: runId, name, path, version } = artifact
    const older = await listArtifacts(tx, runId, { isWhole: true, name, path, version }, 100)
    const keys = await dropArtifacts(tx, older)
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

/** Removes artifacts. @returns the keys of their files, which nobody names any more */
async function dropArtifacts(tx: Tx, rows: readonly ActionArtifactRow[]): Promise<string[]> {
  for (const row of rows) {
    await deleteArtifactRow(tx, row.id)
    await addToUsage(tx, { repoId: row.repo_id }, 'artifacts', -row.stored_bytes)
  }
  return rows.map(({ blob_key }) => blob_key)
}

export async function deleteArtifacts(services: Services, rows: readonly ActionArtifactRow[]): Promise<void> {
  const keys = await transaction(services.db, (tx) => dropArtifacts(tx, rows))
  for (const key of keys) await services.blobs.actionsArtifacts.delete(key)
}

/** Gives up files that were begun and are begun anew. */
export async function deleteBegun(services: Services, rows: readonly ActionArtifactRow[]): Promise<void> {
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

/** An artifact that is being sent, of this run. */
export async function getOpenArtifact({ db }: Services, id: ArtifactId): Promise<ActionArtifactRow> {
  const row = await findArtifact(db, id)
  if (!row || row.is_whole) throw noArtifact()
  return row
}

const expiredAtOnce = 500

/** Removes artifacts that were begun and never became whole. */
async function expireUnfinished(services: Services, signal: AbortSignal): Promise<void> {
  const before = nowUnix(services.clock) - unfinishedSeconds
  while (!signal.aborted) {
    const late = await listUnfinished(services.db, before, expiredAtOnce)
    await deleteBegun(services, late)
    if (late.length < expiredAtOnce) return
  }
}

/** Artifacts whose time is over lose their bytes; their rows stay. Unfinished ones go whole. */
export async function expireArtifacts(services: Services, signal: AbortSignal): Promise<void> {
  await expireUnfinished(services, signal)
  while (!signal.aborted) {
    const late = await listExpired(services.db, nowUnix(services.clock), expiredAtOnce)
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
    if (late.length < expiredAtOnce) return
  }
}

/** By what the older protocol names an artifact in addresses. */
export const artifactHash = (name: string): string => createHash('md5').update(name).digest('hex')
