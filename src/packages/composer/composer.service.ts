import type { SubjectCtx } from '../../access/context.ts'
import type { PackageVersionRow } from '../../db/tables/packages.ts'
import { BadRequest } from '../../lib/errors.ts'
import { findPackages, wholeCatalog } from '../catalog/catalog.service.ts'
import { archiveIn } from '../formats/stored-archive.ts'
import { parseJsonRecord } from '../registry/json-text.rules.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { receiveUpload, publishVersion, type IncomingFile, type PublishCtx } from '../publish.service.ts'
import { composerFileName, composerPackageOf, type ComposerMetadata } from './composer.rules.ts'

const type = 'composer'

const wanted = { name: /^(?:[^/]+\/)?composer\.json$/, maxBytes: 1 << 20, count: 1 }

/**
 * Publishes a package from its archive.
 * @param version for a package whose description has none
 */
export async function publishArchive(
  ctx: PublishCtx,
  incoming: IncomingFile,
  version: string | undefined,
): Promise<void> {
  await receiveUpload(ctx, incoming, ctx.config.packages.limitSizeComposer, async ({ arrived }) => {
    const { readZip } = await import('../formats/zip.ts')
    const { files } = await readZip(archiveIn(ctx, arrived), wanted)
    const [found] = files.values()
    if (!found) throw new BadRequest('the archive has no composer.json', 'composer_json_missing')
    const described = composerPackageOf(parseJsonRecord(found), version)
    const fileName = composerFileName(described.name, described.version)
    const published = [{ fileName, isLead: true, content: arrived }]
    await publishVersion(ctx, { type, ...described, ifExists: 'refuse', files: published })
  })
}

/** Composer describes a package by the version that was published last. */
const newest = (versions: readonly PackageVersionRow[]): PackageVersionRow | undefined => versions.at(-1)

/** Returns a page of packages whose names contain a text, of one type if given, and their total. */
export async function search(
  ctx: SubjectCtx,
  text: string | undefined,
  kind: string | undefined,
  page: { readonly limit: number; readonly offset: number },
) {
  if (!kind) return findPackages(ctx, type, text, page, newest)
  const { packages } = await findPackages(ctx, type, text, wholeCatalog, newest)
  const fitting = packages.filter((found) => metadataOf<ComposerMetadata>(found.newest).type === kind)
  return { packages: fitting.slice(page.offset, page.offset + page.limit), total: fitting.length }
}
