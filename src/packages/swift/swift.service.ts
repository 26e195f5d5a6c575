import type { SubjectCtx } from '../../access/context.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import { searchPackages, wholeCatalog } from '../catalog/catalog.service.ts'
import { archiveIn } from '../formats/stored-archive.ts'
import { parseJsonRecord } from '../registry/json-text.rules.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { receiveUpload, publishVersion, type IncomingFile, type PublishCtx } from '../publish.service.ts'
import { cachedByRevision } from '../indexes/registry-cache.ts'
import {
  checkSwift,
  identifierOf,
  manifestForm,
  manifestVersion,
  swiftMetadataOf,
  type SwiftMetadata,
  type SwiftName,
} from './swift.rules.ts'

const type = 'swift'

/** The manifests of a package, one for each compiler version that has its own. */
const wanted = { name: manifestForm, maxBytes: 256 << 10, count: 20 }

/** Publishes a version from its archive. */
export async function publishRelease(ctx: PublishCtx, named: SwiftName, versionText: string, incoming: IncomingFile) {
  const version = checkSwift(named, versionText)
  await receiveUpload(ctx, incoming, ctx.config.packages.limitSizeSwift, async ({ arrived, fields }) => {
    const { readZip } = await import('../formats/zip.ts')
    const { files } = await readZip(archiveIn(ctx, arrived), wanted)
    const manifests = [...files].map(([name, content]) => [manifestVersion(name) ?? '', content.toString('utf8')])
    if (!manifests.some(([swiftVersion]) => swiftVersion === '')) {
      throw new BadRequest('the archive has no Package.swift', 'swift_manifest_missing')
    }
    const about = fields['metadata'] ? parseJsonRecord(fields['metadata']) : {}
    await publishVersion(ctx, {
      type,
      name: identifierOf(named),
      version,
      metadata: swiftMetadataOf(about, Object.fromEntries(manifests) as Record<string, string>),
      ifExists: 'refuse',
      files: [{ fileName: `${named.name}-${version}.zip`.toLowerCase(), isLead: true, content: arrived }],
    })
  })
}

/** Lists the packages with a source repository URL, or throws `NotFound`. */
export async function getIdentifiers(ctx: SubjectCtx, url: string): Promise<readonly string[]> {
  const { byUrl } = await cachedByRevision(ctx, type, 'identifiers', async () => {
    const { packages } = await searchPackages(ctx, type, undefined, wholeCatalog)
    const found: Record<string, string[]> = Object.create(null) as Record<string, string[]>
    for (const { row, versions } of packages) {
      const urls = new Set(versions.flatMap((version) => metadataOf<SwiftMetadata>(version).repositoryUrls))
      for (const each of urls) (found[each] ??= []).push(row.name)
    }
    return { byUrl: found }
  })
  const identifiers = byUrl[url]
  if (!identifiers) throw new NotFound('no package has this repository URL', 'package_not_found')
  return identifiers
}
