import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflate, gzip } from 'node:zlib'
import type { SignedInCtx, SubjectCtx } from '../../access/context.ts'
import { NotFound } from '../../lib/errors.ts'
import { formatUnix } from '../../lib/time.ts'
import { getFilesOfType } from '../catalog/catalog.service.ts'
import type { FileWithMetadata } from '../catalog/catalog.store.ts'
import { archiveIn } from '../formats/stored-archive.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { getVersion, removeNamedFile, removeVersion } from '../package.service.ts'
import { receiveUpload, publishVersion, type IncomingFile, type PublishCtx } from '../publish.service.ts'
import { cachedByRevision } from '../indexes/registry-cache.ts'
import { marshal, type Marshalled } from './marshal.rules.ts'
import {
  compareGems,
  gemFileName,
  infoLine,
  isPrerelease,
  specificationOf,
  specsOf,
  withPlatform,
  type GemMetadata,
  type ListedGem,
} from './rubygems.rules.ts'

const type = 'rubygems'
const compress = promisify(gzip)
const pack = promisify(deflate)

const noGem = () => new NotFound('the gem does not exist', 'package_file_not_found')

/** Publishes a gem. */
export async function publishGem(ctx: PublishCtx, incoming: IncomingFile): Promise<void> {
  await receiveUpload(ctx, incoming, ctx.config.packages.limitSizeRubygems, async ({ arrived }) => {
    const { readGem } = await import('./gem.ts')
    const { name, version, metadata } = await readGem(archiveIn(ctx, arrived))
    const fileName = gemFileName(name, version, metadata.platform)
    await publishVersion(ctx, {
      type,
      name,
      version,
      metadata,
      files: [{ fileName, isLead: true, content: arrived, metadata }],
    })
  })
}

const listed = (file: FileWithMetadata): ListedGem => ({
  name: file.package_name,
  version: file.version,
  sha256: file.sha256,
  metadata: metadataOf<GemMetadata>(file),
})

/** The lists of all gems of an owner. */
interface Catalog {
  readonly versions: string
  readonly infos: Readonly<Record<string, string>>
  readonly specs: Buffer
  readonly latest_specs: Buffer
  readonly prerelease_specs: Buffer
}

/** Returns the lists of all gems. */
const getCatalog = (ctx: SubjectCtx): Promise<Catalog> =>
  cachedByRevision(ctx, type, 'catalog', async (changedUnix) => {
    const gems = (await getFilesOfType(ctx, type)).map(listed)
    const byName = [...Map.groupBy(gems, ({ name }) => name)].toSorted(([one], [other]) => (one < other ? -1 : 1))
    const infos: Record<string, string> = Object.create(null) as Record<string, string>
    const lines = byName.map(([name, own]) => {
      const info = `---\n${own.map(infoLine).join('')}`
      infos[name] = info
      const versions = own.map(({ version, metadata }) => withPlatform(version, metadata.platform, '_'))
      return `${name} ${versions.join(',')} ${createHash('md5').update(info).digest('hex')}\n`
    })
    const released = gems.filter(({ version }) => !isPrerelease(version))
    const list = (some: readonly ListedGem[]): Promise<Buffer> => compress(marshal(specsOf(some)))
    return {
      versions: `created_at: ${formatUnix(changedUnix)}\n---\n${lines.join('')}`,
      infos,
      specs: await list(released),
      latest_specs: await list(newestOfEach(released)),
      prerelease_specs: await list(gems.filter(({ version }) => isPrerelease(version))),
    }
  })

/** Returns the newest version of each gem on each of its platforms. */
function newestOfEach(gems: readonly ListedGem[]): ListedGem[] {
  const newest = new Map<string, string>()
  for (const { name, version } of gems) {
    const other = newest.get(name)
    if (other === undefined || compareGems(version, other) > 0) newest.set(name, version)
  }
  return gems.filter(({ name, version }) => newest.get(name) === version)
}

/** Returns the names of all gems with their versions. */
export const getVersions = async (ctx: SubjectCtx): Promise<string> => (await getCatalog(ctx)).versions

/** Returns the compact index of a gem. Throws `NotFound` without versions. */
export async function getInfo(ctx: SubjectCtx, name: string): Promise<string> {
  const { infos } = await getCatalog(ctx)
  const info = infos[name]
  if (info === undefined) throw noGem()
  return info
}

/** Returns a list of gems for older clients. */
export const getSpecs = async (
  ctx: SubjectCtx,
  which: 'specs' | 'latest_specs' | 'prerelease_specs',
): Promise<Buffer> => (await getCatalog(ctx))[which]

/** Returns a gem by file name. */
export async function getGem(ctx: SubjectCtx, fileName: string): Promise<FileWithMetadata> {
  const [file] = await getFilesOfType(ctx, type, { lowerName: fileName.toLowerCase() })
  if (!file) throw noGem()
  return file
}

/** Returns the description of a gem by file name, for older clients. */
export async function getSpecification(ctx: SubjectCtx, fileName: string): Promise<Buffer> {
  const specification: Marshalled = specificationOf(listed(await getGem(ctx, fileName)))
  return pack(marshal(specification))
}

/** Removes a version of a gem; only for one platform when it is given. */
export async function yankGem(
  ctx: SubjectCtx & SignedInCtx,
  { name, version, platform }: { readonly name: string; readonly version: string; readonly platform: string },
): Promise<void> {
  if (platform === '') {
    await removeVersion(ctx, await getVersion(ctx, { type, name, version }))
  } else {
    await removeNamedFile(ctx, { type, name, version, fileName: gemFileName(name, version, platform) })
  }
}
