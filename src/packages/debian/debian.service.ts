import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { SignedInCtx, SubjectCtx } from '../../access/context.ts'
import { NotFound } from '../../lib/errors.ts'
import { getFilesOfType } from '../catalog.service.ts'
import type { DescribedFile } from '../catalog.store.ts'
import { archiveIn } from '../formats/stored-archive.ts'
import { storedXz } from '../formats/stored-xz.ts'
import { metadataOf } from '../metadata.rules.ts'
import { getFile, getVersion, removeFile } from '../package.service.ts'
import { receiveUpload, record, type Incoming, type PublishCtx } from '../publish.service.ts'
import { remembered } from '../remembered.ts'
import { signText } from '../signing.service.ts'
import { debName, placeKey, placeOfKey, type DebianMetadata, type Place } from './debian.rules.ts'

const type = 'debian'
const compress = promisify(gzip)

const hashes = [
  ['MD5Sum', 'md5'],
  ['SHA1', 'sha1'],
  ['SHA256', 'sha256'],
  ['SHA512', 'sha512'],
] as const

/** Publishes a package into a part of the owner's repository. */
export async function publishDeb(ctx: PublishCtx, place: Place, incoming: Incoming): Promise<void> {
  const fileKey = placeKey(place)
  await receiveUpload(ctx, incoming, ctx.config.packages.limitSizeDebian, async ({ arrived }) => {
    const { readDeb } = await import('./deb.ts')
    const { name, version, metadata } = await readDeb(archiveIn(ctx, arrived))
    const fileName = debName(name, version, metadata.architecture)
    const files = [{ fileName, fileKey, isLead: true, content: arrived, metadata }]
    await record(ctx, { type, name, version, metadata, files })
  })
}

/** The files of a distribution by their paths below it, and its release file, plain and signed. */
interface Distribution {
  readonly files: Readonly<Record<string, Buffer>>
  readonly release: string
  readonly inRelease: string
  readonly signature: string
}

function paragraph(file: DescribedFile, { distribution, component }: Place): string {
  const { control } = metadataOf<DebianMetadata>(file)
  const about = [
    `Filename: pool/${distribution}/${component}/${file.name}`,
    `Size: ${file.size_bytes}`,
    `MD5sum: ${file.md5}`,
    `SHA1: ${file.sha1}`,
    `SHA256: ${file.sha256}`,
    `SHA512: ${file.sha512}`,
  ]
  return `${control}\n${about.join('\n')}\n`
}

async function indexesOf(files: readonly DescribedFile[]): Promise<Record<string, Buffer>> {
  const groups = Map.groupBy(files, (file) => {
    const { component } = placeOfKey(file.file_key)
    return `${component}/binary-${metadataOf<DebianMetadata>(file).architecture}`
  })
  const indexes: Record<string, Buffer> = {}
  for (const [folder, members] of [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const text = Buffer.from(members.map((file) => paragraph(file, placeOfKey(file.file_key))).join('\n'))
    indexes[`${folder}/Packages`] = text
    indexes[`${folder}/Packages.gz`] = await compress(text)
    indexes[`${folder}/Packages.xz`] = storedXz(text)
  }
  return indexes
}

function releaseOf(name: string, distribution: string, indexes: Readonly<Record<string, Buffer>>, changedUnix: number) {
  const folders = Object.keys(indexes).map((path) => path.split('/'))
  const parts = (index: number, prefix: string) =>
    [...new Set(folders.map((path) => (path[index] ?? '').slice(prefix.length)))].join(' ')
  const sums = hashes.map(([field, algorithm]) => {
    const lines = Object.entries(indexes).map(
      ([path, content]) => ` ${createHash(algorithm).update(content).digest('hex')} ${content.length} ${path}`,
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

/** The indexes of a distribution, made anew when something of the owner's repository has changed. */
const getDistribution = (ctx: SubjectCtx, distribution: string): Promise<Distribution> =>
  remembered(ctx, type, `distribution ${distribution}`, async (changedUnix) => {
    const all = await getFilesOfType(ctx, type)
    const own = all.filter((file) => placeOfKey(file.file_key).distribution === distribution)
    if (own.length === 0) throw new NotFound('there is no such distribution', 'package_not_found')
    const files = await indexesOf(own)
    const release = releaseOf(ctx.subject.name, distribution, files, changedUnix)
    const { clear, detached } = await signText(ctx, type, release)
    return { files, release, inRelease: clear, signature: detached }
  })

const algorithms = new Map<string, string>(hashes)

/** A file of a distribution by its path below it, or by its checksum there; `NotFound` for others. */
export async function getIndexFile(ctx: SubjectCtx, distribution: string, path: string): Promise<string | Buffer> {
  const { files, release, inRelease, signature } = await getDistribution(ctx, distribution)
  if (path === 'Release') return release
  if (path === 'InRelease') return inRelease
  if (path === 'Release.gpg') return signature
  const [, folder, field, sum] = /^(.+)\/by-hash\/(\w+)\/([0-9a-f]+)$/.exec(path) ?? []
  const algorithm = algorithms.get(field ?? '')
  const found =
    folder === undefined || algorithm === undefined
      ? Object.entries(files).find(([name]) => name === path)?.[1]
      : Object.entries(files).find(
          ([name, content]) =>
            name.startsWith(`${folder}/`) && createHash(algorithm).update(content).digest('hex') === sum,
        )?.[1]
  if (!found) throw new NotFound('the index does not exist', 'package_file_not_found')
  return found
}

/** A package by the name of its file. */
export async function getDeb(ctx: SubjectCtx, place: Place, fileName: string): Promise<DescribedFile> {
  const [file] = await getFilesOfType(ctx, type, { fileKey: placeKey(place), lowerName: fileName.toLowerCase() })
  if (!file) throw new NotFound('the file does not exist', 'package_file_not_found')
  return file
}

/** Removes a package from a part of the repository. */
export async function removeDeb(
  ctx: SubjectCtx & SignedInCtx,
  place: Place,
  { name, version, architecture }: { readonly name: string; readonly version: string; readonly architecture: string },
): Promise<void> {
  const found = await getVersion(ctx, { type, name, version })
  const file = { fileName: debName(name, version, architecture), fileKey: placeKey(place) }
  await removeFile(ctx, found, await getFile(ctx, found, file))
}
