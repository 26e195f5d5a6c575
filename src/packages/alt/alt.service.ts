import { setImmediate } from 'node:timers/promises'
import type { SignedInCtx, SubjectCtx } from '../../access/context.ts'
import { noFile } from '../package.rules.ts'
import { getFileNames, getFilesOfType } from '../catalog/catalog.service.ts'
import type { FileWithMetadata } from '../catalog/catalog.store.ts'
import { unpackJoined } from '../formats/joined-gzip.ts'
import type { RpmPackage } from '../formats/rpm.ts'
import { archiveIn } from '../formats/stored-archive.ts'
import { storedXz } from '../formats/stored-xz.ts'
import { getStoredIndex, checksumsOf } from '../indexes/stored-index.service.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { removeNamedFile } from '../package.service.ts'
import { receiveUpload, publishVersion, type IncomingFile, type PublishCtx } from '../publish.service.ts'
import { registryUrl } from '../registry/registry-url.rules.ts'
import { cachedByRevision } from '../indexes/registry-cache.ts'
import { checkNames, rpmFileName, versionOf } from '../rpm/rpm.rules.ts'
import { architectureOf, componentOf, listedHeader, releaseOf, type ReleasedFile } from './alt.rules.ts'
import { escapePath } from '../../lib/escape-url.ts'

const type = 'alt'

/** Number of bytes that are hashed in one turn of the event loop. */
const hashedAtOnce = 32 << 10

/** Publishes a package into a group. */
export async function publishAltRpm(ctx: PublishCtx, group: string, incoming: IncomingFile): Promise<void> {
  await receiveUpload(ctx, incoming, ctx.config.packages.limitSizeAlt, async ({ arrived }) => {
    const { readRpm } = await import('../formats/rpm.ts')
    const { described } = await readRpm(archiveIn(ctx, arrived))
    checkNames(described)
    const version = versionOf(described)
    const fileName = rpmFileName(described.name, version, described.architecture)
    await publishVersion(ctx, {
      type,
      name: described.name,
      version,
      metadata: { summary: described.summary, license: described.license, url: described.url },
      files: [{ fileName, fileKey: group, isLead: true, content: arrived, metadata: described }],
    })
  })
}

/** BLAKE2b with 32 bytes; `node:crypto` has it with 64 bytes only. */
async function blake2bOf(content: Buffer): Promise<string> {
  const { blake2b } = await import('@noble/hashes/blake2.js')
  const hash = blake2b.create({ dkLen: 32 })
  for (let at = 0; at < content.length; at += hashedAtOnce) {
    if (at > 0) await setImmediate()
    hash.update(content.subarray(at, at + hashedAtOnce))
  }
  return Buffer.from(hash.digest()).toString('hex')
}

async function releasedFile(name: string, content: Buffer): Promise<ReleasedFile> {
  const { sizeBytes, digests } = await checksumsOf(content, ['md5'])
  return { name, sizeBytes, md5: digests['md5'] ?? '', blake2b: await blake2bOf(content) }
}

/** Returns the packed index and the release files of a group for an architecture. */
const getRepository = (ctx: SubjectCtx, group: string, architecture: string) =>
  cachedByRevision(ctx, type, `group ${architecture} ${group}`, async (changedUnix) => {
    const files = (await getFileNames(ctx, type)).filter(
      (file) => file.file_key === group && architectureOf(file.name) === architecture,
    )
    if (files.length === 0) throw noFile()
    const plan = {
      name: 'alt-1',
      fileIds: files.map(({ id }) => id),
      entry: (file: FileWithMetadata) =>
        listedHeader(metadataOf<RpmPackage>(file), { name: file.name, sizeBytes: file.size_bytes, md5: file.md5 }),
    }
    const { packed } = await getStoredIndex(ctx, plan, [])
    const list = await unpackJoined(packed)
    const about = { owner: ctx.subject.name, group, architecture, changedUnix }
    const component = componentOf(about)
    const release = releaseOf(about, [
      await releasedFile('pkglist.classic', list),
      await releasedFile('pkglist.classic.xz', storedXz(list)),
      await releasedFile('release.classic', Buffer.from(component)),
    ])
    return { packed, component, release }
  })

/** Returns a file of the index of a group for an architecture. Throws `NotFound` for other names. */
export async function getIndexFile(
  ctx: SubjectCtx,
  { group, architecture, file }: { readonly group: string; readonly architecture: string; readonly file: string },
): Promise<string | Buffer> {
  const { packed, component, release } = await getRepository(ctx, group, architecture)
  if (file === 'release') return release
  if (file === 'release.classic') return component
  if (file === 'pkglist.classic') return unpackJoined(packed)
  if (file === 'pkglist.classic.xz') return storedXz(await unpackJoined(packed))
  throw noFile()
}

/** Returns the client configuration for a group. */
export function settingsOf(ctx: SubjectCtx, group: string): string {
  const base = `${registryUrl(ctx, type)}/${escapePath(group)}`
  const parts = [ctx.subject.name, ...group.split('/')]
  return `[${parts.join('-')}]\nname=${parts.join(' - ')}\nbaseurl=${base}\nenabled=1\n`
}

/** Returns a package of a group by its file name. */
export async function getAltRpm(
  ctx: SubjectCtx,
  { group, architecture, file: name }: { readonly group: string; readonly architecture: string; readonly file: string },
): Promise<FileWithMetadata> {
  const [file] = await getFilesOfType(ctx, type, { fileKey: group, lowerName: name.toLowerCase() })
  if (!file || architectureOf(file.name) !== architecture) throw noFile()
  return file
}

/** Removes a package from a group. */
export async function removeAltRpm(
  ctx: SubjectCtx & SignedInCtx,
  named: { readonly group: string; readonly architecture: string; readonly file: string },
): Promise<void> {
  const file = await getAltRpm(ctx, named)
  await removeNamedFile(ctx, {
    type,
    name: file.package_name,
    version: file.version,
    fileName: file.name,
    fileKey: file.file_key,
  })
}
