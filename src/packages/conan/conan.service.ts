import { setImmediate } from 'node:timers/promises'
import type { SignedInCtx, SubjectCtx } from '../../access/context.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import type { Unix } from '../../lib/time.ts'
import { getFilesOfType, getFilesOfVersions } from '../catalog/catalog.service.ts'
import type { FileWithMetadata } from '../catalog/catalog.store.ts'
import type { FileRecord } from '../content/file.store.ts'
import { archiveIn, wholeOf } from '../formats/stored-archive.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { getNamedFile, getVersion, removeFiles } from '../package.service.ts'
import type { VersionRecord } from '../package.store.ts'
import { receiveUpload, publishVersion, type IncomingFile, type PublishCtx } from '../publish.service.ts'
import { cachedByRevision } from '../indexes/registry-cache.ts'
import {
  binaryInfoFile,
  checkFileName,
  checkFileOwner,
  checkReference,
  describeBinary,
  fileKeyOf,
  isFound,
  fileOwnerOfKey,
  readRecipe,
  recipeFile,
  writeReference,
  type BinaryMetadata,
  type FileOwner,
  type Reference,
} from './conan.rules.ts'

const type = 'conan'

/** Largest recipe and largest description of a binary, in bytes. */
const maxRecipeBytes = 1 << 20
const maxInfoBytes = 64 << 10

/** Largest number of recipes that a search returns. */
const maxFound = 10_000
/** Number of recipes that a search compares in one turn of the event loop. */
const comparedAtOnce = 100

const nothingThere = () => new NotFound('there is no such recipe or package', 'package_not_found')

/**
 * Stores or replaces a file of a recipe or binary. Throws `BadRequest` for an invalid name, and for a content with
 * another
 * checksum than announced.
 */
export async function putFile(
  ctx: PublishCtx,
  reference: Reference,
  location: FileOwner,
  fileName: string,
  incoming: IncomingFile,
  sha1: unknown,
): Promise<void> {
  checkReference(reference)
  checkFileOwner(location)
  checkFileName(location, fileName)
  await receiveUpload(ctx, incoming, ctx.config.packages.limitSizeConan, async ({ arrived }) => {
    if (typeof sha1 === 'string' && sha1.toLowerCase() !== arrived.digests.sha1) {
      throw new BadRequest('the file does not match its checksum', 'conan_checksum_wrong')
    }
    const read = async (maxBytes: number) => {
      const archive = archiveIn(ctx, arrived)
      return arrived.sizeBytes === 0 ? '' : (await wholeOf(await archive.open(), maxBytes)).toString('utf8')
    }
    const isInfo = fileName === binaryInfoFile
    const file = {
      fileName,
      fileKey: fileKeyOf(reference, location),
      isLead: fileName === recipeFile,
      content: arrived,
      replaces: true,
      ...(isInfo ? { metadata: { content: await read(maxInfoBytes) } satisfies BinaryMetadata } : {}),
    }
    const { name, version } = reference
    const about = fileName === recipeFile ? { metadata: readRecipe(await read(maxRecipeBytes)), redescribes: true } : {}
    await publishVersion(ctx, { type, name, version, ...about, files: [file] })
  })
}

/** Returns the files of a recipe version with its user and channel. Throws `NotFound` without files. */
async function getFilesOf(
  ctx: SubjectCtx,
  reference: Reference,
): Promise<{ readonly version: VersionRecord; readonly files: readonly FileWithMetadata[] }> {
  const version = await getVersion(ctx, { type, name: reference.name, version: reference.version })
  const files = (await getFilesOfVersions(ctx, [version])).filter(({ file_key: key }) => {
    const { user, channel } = fileOwnerOfKey(key)
    return user === reference.user && channel === reference.channel
  })
  if (files.length === 0) throw nothingThere()
  return { version, files }
}

/** Selects files of a reference: all files, a revision, the binaries of a revision, or one binary. */
export interface FileSelection {
  readonly revision?: string | undefined
  /** Only the binaries of the revision. */
  readonly isBinaries?: boolean
  readonly binaryId?: string | undefined
  readonly binaryRevision?: string | undefined
}

function isSelected({ file_key: key }: Pick<FileWithMetadata, 'file_key'>, selection: FileSelection): boolean {
  const { revision, binary } = fileOwnerOfKey(key)
  if (selection.revision !== undefined && selection.revision !== revision) return false
  if (!selection.isBinaries) return true
  if (!binary || (selection.binaryId !== undefined && selection.binaryId !== binary.id)) return false
  return selection.binaryRevision === undefined || selection.binaryRevision === binary.revision
}

/** Removes the selected files. Throws `NotFound` without files. */
export async function removeSelection(
  ctx: SubjectCtx & SignedInCtx,
  reference: Reference,
  selection: FileSelection,
): Promise<void> {
  const { version, files } = await getFilesOf(ctx, reference)
  const found = files.filter((file) => isSelected(file, selection))
  if (found.length === 0) throw nothingThere()
  await removeFiles(ctx, version, found)
}

/** Removes the named binaries of the newest revision, or all of them without ids. */
export async function removeBinaries(
  ctx: SubjectCtx & SignedInCtx,
  reference: Reference,
  ids: readonly string[],
): Promise<void> {
  const { version, files } = await getFilesOf(ctx, reference)
  const revision = revisionsOf(files, recipeRevision)[0]?.revision
  const found = files.filter((file) => {
    const { binary } = fileOwnerOfKey(file.file_key)
    return isSelected(file, { revision, isBinaries: true }) && (ids.length === 0 || ids.includes(binary?.id ?? ''))
  })
  if (found.length === 0) throw nothingThere()
  await removeFiles(ctx, version, found)
}

/** Removes files of the newest revision of a recipe. */
export async function removeRecipeFiles(
  ctx: SubjectCtx & SignedInCtx,
  reference: Reference,
  names: readonly string[],
): Promise<void> {
  const { version, files } = await getFilesOf(ctx, reference)
  const revision = revisionsOf(files, recipeRevision)[0]?.revision
  const found = files.filter(
    ({ file_key: key, name }) =>
      fileOwnerOfKey(key).revision === revision && !fileOwnerOfKey(key).binary && names.includes(name),
  )
  if (found.length > 0) await removeFiles(ctx, version, found)
}

/** A revision and the time of its last change. */
export interface Revision {
  readonly revision: string
  readonly changedUnix: Unix
}

const recipeRevision = (location: FileOwner): string | undefined => (location.binary ? undefined : location.revision)

/** Returns the revisions of files, the newest first. */
function revisionsOf(
  files: readonly FileRecord[],
  of: (location: FileOwner) => string | undefined,
): readonly Revision[] {
  const newest = new Map<string, FileRecord>()
  for (const file of files) {
    const revision = of(fileOwnerOfKey(file.file_key))
    const other = revision === undefined ? undefined : newest.get(revision)
    if (revision !== undefined && (!other || isNewer(file, other))) newest.set(revision, file)
  }
  return [...newest]
    .toSorted(([, one], [, other]) => (isNewer(one, other) ? -1 : 1))
    .map(([revision, file]) => ({ revision, changedUnix: file.created_unix }))
}

const isNewer = (one: FileRecord, other: FileRecord): boolean =>
  one.created_unix === other.created_unix ? one.id > other.id : one.created_unix > other.created_unix

/** Lists the revisions of a recipe, the newest first. Throws `NotFound` without revisions. */
export async function getRevisions(ctx: SubjectCtx, reference: Reference): Promise<readonly Revision[]> {
  const { files } = await getFilesOf(ctx, reference)
  return someOf(revisionsOf(files, recipeRevision))
}

/** Lists the revisions of a binary of a recipe revision, the newest first. Throws `NotFound` without revisions. */
export async function getBinaryRevisions(
  ctx: SubjectCtx,
  reference: Reference,
  revision: string,
  id: string,
): Promise<readonly Revision[]> {
  const { files } = await getFilesOf(ctx, reference)
  return someOf(
    revisionsOf(files, (location) =>
      location.revision === revision && location.binary?.id === id ? location.binary.revision : undefined,
    ),
  )
}

function someOf<Element>(elements: readonly Element[]): readonly Element[] {
  if (elements.length === 0) throw nothingThere()
  return elements
}

/** Returns the newest revision of a list that is not empty. */
export function newestOfRevisions(revisions: readonly Revision[]): Revision {
  const [newest] = revisions
  if (!newest) throw nothingThere()
  return newest
}

/** Lists the files of a recipe or binary revision. Throws `NotFound` without files. */
export async function getFilesOfRevision(
  ctx: SubjectCtx,
  reference: Reference,
  location: FileOwner,
): Promise<readonly FileWithMetadata[]> {
  const { files } = await getFilesOf(ctx, reference)
  const key = fileKeyOf(reference, location)
  return someOf(files.filter((file) => file.file_key === key))
}

/** Returns a file of a recipe or binary revision. */
export async function getFileOfRevision(
  ctx: SubjectCtx,
  reference: Reference,
  location: FileOwner,
  fileName: string,
): Promise<FileRecord> {
  const { name, version } = reference
  return getNamedFile(ctx, { type, name, version, fileName, fileKey: fileKeyOf(reference, location) })
}

/** Presents the newest revision of each binary of a recipe revision; without a revision, of the newest one. */
export async function searchBinaries(ctx: SubjectCtx, reference: Reference, revision: string | undefined) {
  const { files } = await getFilesOf(ctx, reference)
  const wanted = revision ?? revisionsOf(files, recipeRevision)[0]?.revision
  const binaries = Map.groupBy(
    files.filter((file) => isSelected(file, { revision: wanted, isBinaries: true })),
    ({ file_key: key }) => fileOwnerOfKey(key).binary?.id ?? '',
  )
  const packages = [...binaries].flatMap(([id, ofBinary]) => {
    const newest = newestOfRevisions(revisionsOf(ofBinary, ({ binary }) => binary?.revision)).revision
    const info = ofBinary.find(
      ({ file_key: key, name }) => name === binaryInfoFile && fileOwnerOfKey(key).binary?.revision === newest,
    )
    return info ? [[id, describeBinary(metadataOf<BinaryMetadata>(info))] as const] : []
  })
  return Object.fromEntries(packages)
}

/** Lists the references of all recipes of the owner in the clients' form. */
const getReferences = (ctx: SubjectCtx): Promise<readonly string[]> =>
  cachedByRevision(ctx, type, 'references', async () => {
    const written = (await getFilesOfType(ctx, type)).map(({ package_name: name, version, file_key: key }) =>
      writeReference({ name, version, ...fileOwnerOfKey(key) }),
    )
    return [...new Set(written)].toSorted()
  })

/** Lists the references that match a pattern; all without one. */
export async function searchRecipes(
  ctx: SubjectCtx,
  pattern: string | undefined,
  ignoreCase: boolean,
): Promise<readonly string[]> {
  const all = await getReferences(ctx)
  if (!pattern) return all.slice(0, maxFound)
  const found: string[] = []
  for (const [index, written] of all.entries()) {
    if (index % comparedAtOnce === comparedAtOnce - 1) await setImmediate()
    if (isFound(pattern, written, ignoreCase)) found.push(written)
  }
  return found.slice(0, maxFound)
}
