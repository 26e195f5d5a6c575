import { setImmediate } from 'node:timers/promises'
import type { SignedInCtx, SubjectCtx } from '../../access/context.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import type { Unix } from '../../lib/time.ts'
import { getFilesOfType, getFilesOfVersions } from '../catalog/catalog.service.ts'
import type { DescribedFile } from '../catalog/catalog.store.ts'
import type { FileRecord } from '../content/file.store.ts'
import { archiveIn, wholeOf } from '../formats/stored-archive.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { getFile, getVersion, removeFiles } from '../package.service.ts'
import type { VersionRecord } from '../package.store.ts'
import { receiveUpload, record, type Incoming, type PublishCtx } from '../publish.service.ts'
import { remembered } from '../indexes/remembered.ts'
import {
  binaryInfoFile,
  checkFileName,
  checkPlace,
  checkReference,
  describeBinary,
  fileKeyOf,
  isFound,
  placeOfKey,
  readRecipe,
  recipeFile,
  writeReference,
  type BinaryMetadata,
  type Place,
  type Reference,
} from './conan.rules.ts'

const type = 'conan'

/** Largest recipe, and largest description of a binary, in bytes. */
const maxRecipeBytes = 1 << 20
const maxInfoBytes = 64 << 10

/** Most recipes that a search finds. */
const maxFound = 10_000
/** Number of recipes that a search compares before other requests have their turn. */
const comparedAtOnce = 100

const nothingThere = () => new NotFound('there is no such recipe or package', 'package_not_found')

/**
 * Keeps a file of a recipe or of a binary, in the place of the one that is there. Throws `BadRequest` for names that have
 * no place there, and for a content that is not what its checksum says.
 */
export async function putFile(
  ctx: PublishCtx,
  reference: Reference,
  place: Place,
  fileName: string,
  incoming: Incoming,
  sha1: unknown,
): Promise<void> {
  checkReference(reference)
  checkPlace(place)
  checkFileName(place, fileName)
  await receiveUpload(ctx, incoming, ctx.config.packages.limitSizeConan, async ({ arrived }) => {
    if (typeof sha1 === 'string' && sha1.toLowerCase() !== arrived.digests.sha1) {
      throw new BadRequest('the file is not what its checksum says', 'conan_checksum_wrong')
    }
    const read = async (maxBytes: number) => {
      const archive = archiveIn(ctx, arrived)
      return arrived.sizeBytes === 0 ? '' : (await wholeOf(await archive.open(), maxBytes)).toString('utf8')
    }
    const isInfo = fileName === binaryInfoFile
    const file = {
      fileName,
      fileKey: fileKeyOf(reference, place),
      isLead: fileName === recipeFile,
      content: arrived,
      replaces: true,
      ...(isInfo ? { metadata: { content: await read(maxInfoBytes) } satisfies BinaryMetadata } : {}),
    }
    const { name, version } = reference
    const about = fileName === recipeFile ? { metadata: readRecipe(await read(maxRecipeBytes)), redescribes: true } : {}
    await record(ctx, { type, name, version, ...about, files: [file] })
  })
}

/** The files of a version of a recipe under its user and channel; `NotFound` without any. */
async function getFilesOf(
  ctx: SubjectCtx,
  reference: Reference,
): Promise<{ readonly version: VersionRecord; readonly files: readonly DescribedFile[] }> {
  const version = await getVersion(ctx, { type, name: reference.name, version: reference.version })
  const files = (await getFilesOfVersions(ctx, [version])).filter(({ file_key: key }) => {
    const { user, channel } = placeOfKey(key)
    return user === reference.user && channel === reference.channel
  })
  if (files.length === 0) throw nothingThere()
  return { version, files }
}

/** Which of the files under a reference: those of a revision, of its binaries, of one of them. */
export interface Part {
  readonly revision?: string | undefined
  /** The binaries of a revision, and not the recipe. */
  readonly isBinaries?: boolean
  readonly binaryId?: string | undefined
  readonly binaryRevision?: string | undefined
}

function isPartOf({ file_key: key }: Pick<DescribedFile, 'file_key'>, part: Part): boolean {
  const { revision, binary } = placeOfKey(key)
  if (part.revision !== undefined && part.revision !== revision) return false
  if (!part.isBinaries) return true
  if (!binary || (part.binaryId !== undefined && part.binaryId !== binary.id)) return false
  return part.binaryRevision === undefined || part.binaryRevision === binary.revision
}

/** Removes what a part of a reference is made of; `NotFound` when there is nothing. */
export async function removePart(ctx: SubjectCtx & SignedInCtx, reference: Reference, part: Part): Promise<void> {
  const { version, files } = await getFilesOf(ctx, reference)
  const found = files.filter((file) => isPartOf(file, part))
  if (found.length === 0) throw nothingThere()
  await removeFiles(ctx, version, found)
}

/** Removes the binaries of the newest revision whose ids are named, or all of them when none is. */
export async function removeBinaries(
  ctx: SubjectCtx & SignedInCtx,
  reference: Reference,
  ids: readonly string[],
): Promise<void> {
  const { version, files } = await getFilesOf(ctx, reference)
  const revision = revisionsOf(files, recipeRevision)[0]?.revision
  const found = files.filter((file) => {
    const { binary } = placeOfKey(file.file_key)
    return isPartOf(file, { revision, isBinaries: true }) && (ids.length === 0 || ids.includes(binary?.id ?? ''))
  })
  if (found.length === 0) throw nothingThere()
  await removeFiles(ctx, version, found)
}

/** Removes some files of the newest revision of a recipe. */
export async function removeRecipeFiles(
  ctx: SubjectCtx & SignedInCtx,
  reference: Reference,
  names: readonly string[],
): Promise<void> {
  const { version, files } = await getFilesOf(ctx, reference)
  const revision = revisionsOf(files, recipeRevision)[0]?.revision
  const found = files.filter(
    ({ file_key: key, name }) =>
      placeOfKey(key).revision === revision && !placeOfKey(key).binary && names.includes(name),
  )
  if (found.length > 0) await removeFiles(ctx, version, found)
}

/** A revision and when it was last changed. */
export interface Revision {
  readonly revision: string
  readonly changedUnix: Unix
}

const recipeRevision = (place: Place): string | undefined => (place.binary ? undefined : place.revision)

/** The revisions that files belong to, the newest first. */
function revisionsOf(files: readonly FileRecord[], of: (place: Place) => string | undefined): readonly Revision[] {
  const newest = new Map<string, FileRecord>()
  for (const file of files) {
    const revision = of(placeOfKey(file.file_key))
    const other = revision === undefined ? undefined : newest.get(revision)
    if (revision !== undefined && (!other || isNewer(file, other))) newest.set(revision, file)
  }
  return [...newest]
    .toSorted(([, one], [, other]) => (isNewer(one, other) ? -1 : 1))
    .map(([revision, file]) => ({ revision, changedUnix: file.created_unix }))
}

const isNewer = (one: FileRecord, other: FileRecord): boolean =>
  one.created_unix === other.created_unix ? one.id > other.id : one.created_unix > other.created_unix

/** The revisions of a recipe, the newest first; `NotFound` without any. */
export async function getRevisions(ctx: SubjectCtx, reference: Reference): Promise<readonly Revision[]> {
  const { files } = await getFilesOf(ctx, reference)
  return someOf(revisionsOf(files, recipeRevision))
}

/** The revisions of a binary that a revision of a recipe built, the newest first; `NotFound` without any. */
export async function getBinaryRevisions(
  ctx: SubjectCtx,
  reference: Reference,
  revision: string,
  id: string,
): Promise<readonly Revision[]> {
  const { files } = await getFilesOf(ctx, reference)
  return someOf(
    revisionsOf(files, (place) =>
      place.revision === revision && place.binary?.id === id ? place.binary.revision : undefined,
    ),
  )
}

function someOf<Element>(elements: readonly Element[]): readonly Element[] {
  if (elements.length === 0) throw nothingThere()
  return elements
}

/** The newest of revisions that are some. */
export function newestOfRevisions(revisions: readonly Revision[]): Revision {
  const [newest] = revisions
  if (!newest) throw nothingThere()
  return newest
}

/** The files of a revision of a recipe or a binary; `NotFound` without any. */
export async function getPlaceFiles(
  ctx: SubjectCtx,
  reference: Reference,
  place: Place,
): Promise<readonly DescribedFile[]> {
  const { files } = await getFilesOf(ctx, reference)
  const key = fileKeyOf(reference, place)
  return someOf(files.filter((file) => file.file_key === key))
}

/** One of them. */
export async function getPlaceFile(
  ctx: SubjectCtx,
  reference: Reference,
  place: Place,
  fileName: string,
): Promise<FileRecord> {
  const version = await getVersion(ctx, { type, name: reference.name, version: reference.version })
  return getFile(ctx, version, { fileName, fileKey: fileKeyOf(reference, place) })
}

/** What is told of the newest revision of each binary that a revision of a recipe built (the newest one without). */
export async function searchBinaries(ctx: SubjectCtx, reference: Reference, revision: string | undefined) {
  const { files } = await getFilesOf(ctx, reference)
  const wanted = revision ?? revisionsOf(files, recipeRevision)[0]?.revision
  const binaries = Map.groupBy(
    files.filter((file) => isPartOf(file, { revision: wanted, isBinaries: true })),
    ({ file_key: key }) => placeOfKey(key).binary?.id ?? '',
  )
  const told = [...binaries].flatMap(([id, ofBinary]) => {
    const newest = newestOfRevisions(revisionsOf(ofBinary, ({ binary }) => binary?.revision)).revision
    const info = ofBinary.find(
      ({ file_key: key, name }) => name === binaryInfoFile && placeOfKey(key).binary?.revision === newest,
    )
    return info ? [[id, describeBinary(metadataOf<BinaryMetadata>(info))] as const] : []
  })
  return Object.fromEntries(told)
}

/** The references of all recipes that the owner has, as clients write them. */
const getReferences = (ctx: SubjectCtx): Promise<readonly string[]> =>
  remembered(ctx, type, 'references', async () => {
    const written = (await getFilesOfType(ctx, type)).map(({ package_name: name, version, file_key: key }) =>
      writeReference({ name, version, ...placeOfKey(key) }),
    )
    return [...new Set(written)].toSorted()
  })

/** The references that a pattern finds; all without. */
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
