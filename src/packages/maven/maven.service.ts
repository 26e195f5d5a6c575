import { createHash } from 'node:crypto'
import type { SubjectCtx } from '../../access/context.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import { getPackageWithVersions } from '../catalog/catalog.service.ts'
import type { FileRecord } from '../content/file.store.ts'
import { archiveIn, wholeOf } from '../formats/stored-archive.ts'
import { getNamedFile } from '../package.service.ts'
import { publishFile, receiveUpload, publishVersion, type IncomingFile, type PublishCtx } from '../publish.service.ts'
import { cachedByRevision } from '../indexes/registry-cache.ts'
import { orUpstream } from '../upstream/upstream.service.ts'
import { mavenFileFrom, mavenListFrom } from './maven-upstream.service.ts'
import { isMainFile, isPom, isSnapshot, packageName, type ChecksumName, type MavenPath } from './maven.rules.ts'
import { versionList } from './version-list.rules.ts'

const type = 'maven'

/** Largest project description (POM) in bytes. */
const maxPomBytes = 2 << 20

/** Adds a file to a version. An existing file is a conflict, except a snapshot's list of builds. */
export async function publishArtifact(ctx: PublishCtx, path: MavenPath, incoming: IncomingFile): Promise<void> {
  const limitBytes = ctx.config.packages.limitSizeMaven
  const version = path.version ?? ''
  const named = { type, name: packageName(path), version }
  const file = { fileName: path.fileName, isLead: isMainFile(path) }
  if (!isPom(path.fileName)) {
    const replaces = isSnapshot(version) && path.fileName === 'maven-metadata.xml'
    await publishFile(ctx, { ...named, ...file, replaces }, incoming, limitBytes)
    return
  }
  await receiveUpload(ctx, incoming, limitBytes, async ({ arrived }) => {
    const { readPom } = await import('./pom.ts')
    const text = await wholeOf(await archiveIn(ctx, arrived).open(), maxPomBytes)
    const metadata = readPom(text.toString('utf8'))
    await publishVersion(ctx, { ...named, metadata, redescribes: true, files: [{ ...file, content: arrived }] })
  })
}

/** Returns the list of an artifact's versions as XML, or throws `NotFound`. */
export const getVersionList = (ctx: SubjectCtx, path: MavenPath): Promise<Buffer> =>
  orUpstream(
    ctx,
    { type, name: packageName(path) },
    async () => {
      const { text } = await cachedByRevision(ctx, type, packageName(path).toLowerCase(), async () => {
        const { versions } = await getPackageWithVersions(ctx, type, packageName(path))
        const names = versions.map((version) => version.version)
        return { text: Buffer.from(versionList(path, names)) }
      })
      return text
    },
    (source) => mavenListFrom(source, path),
  )

/** Returns the file of a path, or throws `NotFound`. */
export const getArtifact = (ctx: SubjectCtx, path: MavenPath): Promise<FileRecord> =>
  orUpstream<FileRecord>(
    ctx,
    { type, name: packageName(path) },
    () => getOwnArtifact(ctx, path),
    async (source) => ({ ...(await mavenFileFrom(ctx, source, path)), name: path.fileName }),
  )

const getOwnArtifact = (ctx: SubjectCtx, path: MavenPath): Promise<FileRecord> =>
  getNamedFile(ctx, { type, name: packageName(path), version: path.version ?? '', fileName: path.fileName })

/** Returns the checksum of a path's file in hexadecimal. */
export async function getChecksum(ctx: SubjectCtx, path: MavenPath, checksum: ChecksumName): Promise<string> {
  if (path.isVersionList) {
    return createHash(checksum)
      .update(await getVersionList(ctx, path))
      .digest('hex')
  }
  return (await getArtifact(ctx, path))[checksum]
}

/** Compares an uploaded checksum with the file's. Throws `BadRequest`, or `NotFound` without the file. */
export async function checkChecksum(ctx: SubjectCtx, path: MavenPath, checksum: ChecksumName, sent: string) {
  // The server computes the list of versions, so a client's checksum of it is ignored.
  if (path.isVersionList) return
  const own = await getOwnArtifact(ctx, path).catch((error: unknown) => {
    throw error instanceof NotFound ? new NotFound('the file of this checksum does not exist') : error
  })
  // Some clients append the file name.
  if (sent.trim().split(/\s/)[0]?.toLowerCase() !== own[checksum]) {
    throw new BadRequest('the checksum is not that of the file', 'package_checksum_wrong')
  }
}
