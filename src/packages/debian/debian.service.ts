import type { SignedInCtx, SubjectCtx } from '../../access/context.ts'
import { NotFound } from '../../lib/errors.ts'
import { noFile } from '../package.rules.ts'
import { getFileNames, type FileName } from '../catalog/catalog.service.ts'
import type { FileWithMetadata } from '../catalog/catalog.store.ts'
import type { FileRecord } from '../content/file.store.ts'
import { unpackJoined } from '../formats/joined-gzip.ts'
import { archiveIn } from '../formats/stored-archive.ts'
import { storedXz } from '../formats/stored-xz.ts'
import { getStoredIndex, type StoredIndex } from '../indexes/stored-index.service.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { getNamedFile, removeNamedFile } from '../package.service.ts'
import { receiveUpload, publishVersion, type IncomingFile, type PublishCtx } from '../publish.service.ts'
import { cachedByRevision } from '../indexes/registry-cache.ts'
import { signText } from '../indexes/signing.service.ts'
import {
  architectureOf,
  debName,
  namedByFile,
  debianFileKey,
  componentOfKey,
  type DebianMetadata,
  type DebianComponent,
} from './debian.rules.ts'

const type = 'debian'

const hashes = [
  ['MD5Sum', 'md5'],
  ['SHA1', 'sha1'],
  ['SHA256', 'sha256'],
  ['SHA512', 'sha512'],
] as const
const algorithms = hashes.map(([, algorithm]) => algorithm)

/** Publishes a package into a component of a distribution. */
export async function publishDeb(ctx: PublishCtx, location: DebianComponent, incoming: IncomingFile): Promise<void> {
  const fileKey = debianFileKey(location)
  await receiveUpload(ctx, incoming, ctx.config.packages.limitSizeDebian, async ({ arrived }) => {
    const { readDeb } = await import('./deb.ts')
    const { name, version, metadata } = await readDeb(ctx, archiveIn(ctx, arrived))
    const fileName = debName(name, version, metadata.architecture)
    const files = [{ fileName, fileKey, isLead: true, content: arrived, metadata }]
    await publishVersion(ctx, { type, name, version, metadata, files })
  })
}

/** The indexes of a distribution by folder, and its release file, plain and signed. */
interface Distribution {
  readonly indexes: Readonly<Record<string, StoredIndex>>
  readonly release: string
  readonly inRelease: string
  readonly signature: string
}

function paragraph(file: FileWithMetadata): string {
  const { control } = metadataOf<DebianMetadata>(file)
  const { distribution, component } = componentOfKey(file.file_key)
  const about = [
    `Filename: pool/${distribution}/${component}/${file.name}`,
    `Size: ${file.size_bytes}`,
    `MD5sum: ${file.md5}`,
    `SHA1: ${file.sha1}`,
    `SHA256: ${file.sha256}`,
    `SHA512: ${file.sha512}`,
  ]
  return `${control}\n${about.join('\n')}\n\n`
}

/** Makes the indexes of a distribution's files. */
async function indexesOf(ctx: SubjectCtx, files: readonly FileName[]): Promise<Record<string, StoredIndex>> {
  const groups = Map.groupBy(
    files,
    (file) => `${componentOfKey(file.file_key).component}/binary-${architectureOf(file.name)}`,
  )
  const indexes: Record<string, StoredIndex> = {}
  for (const [folder, members] of [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const fileIds = members.map(({ id }) => id)
    indexes[folder] = await getStoredIndex(ctx, { name: 'debian-1', fileIds, entry: paragraph }, algorithms)
  }
  return indexes
}

/** The listed forms of an index. The `.xz` form is not compressed, so the release file omits it. */
const formsOf = ({ plain, gz }: StoredIndex) => [['Packages', plain] as const, ['Packages.gz', gz] as const]

function releaseOf(name: string, distribution: string, indexes: Distribution['indexes'], changedUnix: number) {
  const folders = Object.keys(indexes).map((path) => path.split('/'))
  const parts = (index: number, prefix: string) =>
    [...new Set(folders.map((path) => (path[index] ?? '').slice(prefix.length)))].join(' ')
  const sums = hashes.map(([field, algorithm]) => {
    const lines = Object.entries(indexes).flatMap(([folder, index]) =>
      formsOf(index).map(([form, { digests, sizeBytes }]) => ` ${digests[algorithm]} ${sizeBytes} ${folder}/${form}`),
    )
    return `${field}:\n${lines.join('\n')}\n`
  })
  const head = [
    `Origin: ${name}`,
    `Label: ${name}`,
    `Suite: ${distribution}`,
    `Codename: ${distribution}`,
    `Components: ${parts(0, '')}`,
    `Architectures: ${parts(1, 'binary-')}`,
    `Date: ${new Date(changedUnix * 1000).toUTCString()}`,
    'Acquire-By-Hash: yes',
  ]
  return `${head.join('\n')}\n${sums.join('')}`
}

/** Returns the indexes and release files of a distribution. */
const getDistribution = (ctx: SubjectCtx, distribution: string): Promise<Distribution> =>
  cachedByRevision(ctx, type, `distribution ${distribution}`, async (changedUnix) => {
    const all = await getFileNames(ctx, type)
    const own = all.filter((file) => componentOfKey(file.file_key).distribution === distribution)
    if (own.length === 0) throw new NotFound('the distribution does not exist', 'package_not_found')
    const indexes = await indexesOf(ctx, own)
    const release = releaseOf(ctx.subject.name, distribution, indexes, changedUnix)
    const { clear, detached } = await signText(ctx, type, release)
    return { indexes, release, inRelease: clear, signature: detached }
  })

const algorithmOf = new Map<string, string>(hashes)

/** Returns the form of an index that a file name or checksum in its folder refers to. */
function formOf(index: StoredIndex, name: string): string | undefined {
  const [, field, sum] = /^by-hash\/(\w+)\/([0-9a-f]+)$/.exec(name) ?? []
  const algorithm = algorithmOf.get(field ?? '')
  if (algorithm === undefined) return name
  return formsOf(index).find(([, { digests }]) => digests[algorithm] === sum)?.[0]
}

const noIndex = () => new NotFound('the index does not exist', 'package_file_not_found')

/** Returns a file of a distribution by path or by checksum. Throws `NotFound` for other paths. */
export async function getIndexFile(ctx: SubjectCtx, distribution: string, path: string): Promise<string | Buffer> {
  const { indexes, release, inRelease, signature } = await getDistribution(ctx, distribution)
  if (path === 'Release') return release
  if (path === 'InRelease') return inRelease
  if (path === 'Release.gpg') return signature
  const [, folder = '', name = ''] = /^([^/]+\/[^/]+)\/(.+)$/.exec(path) ?? []
  const index = Object.hasOwn(indexes, folder) ? indexes[folder] : undefined
  if (!index) throw noIndex()
  const form = formOf(index, name)
  if (form === 'Packages.gz') return index.packed
  if (form === 'Packages') return unpackJoined(index.packed)
  if (form === 'Packages.xz') return storedXz(await unpackJoined(index.packed))
  throw noIndex()
}

/** Returns a package by file name. */
export async function getDeb(ctx: SubjectCtx, location: DebianComponent, fileName: string): Promise<FileRecord> {
  const fileKey = debianFileKey(location)
  const named = namedByFile(fileName)
  if (!named) throw noFile()
  return getNamedFile(ctx, { type, ...named, fileName, fileKey })
}

/** Removes a package from a component of a distribution. */
export async function removeDeb(
  ctx: SubjectCtx & SignedInCtx,
  location: DebianComponent,
  { name, version, architecture }: { readonly name: string; readonly version: string; readonly architecture: string },
): Promise<void> {
  const fileName = debName(name, version, architecture)
  await removeNamedFile(ctx, { type, name, version, fileName, fileKey: debianFileKey(location) })
}
