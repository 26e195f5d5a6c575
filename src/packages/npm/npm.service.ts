import type { Readable } from 'node:stream'
import type { SignedInCtx, SubjectCtx } from '../../access/context.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import { getPackageRow, getPackageWithVersions } from '../catalog/catalog.service.ts'
import type { VersionWithMetadata } from '../catalog/catalog.store.ts'
import { storeContents, type ReceivedContent } from '../content/content.service.ts'
import { updateVersionMetadata } from '../catalog/describe.service.ts'
import { repoToLink } from '../registry/linkable.service.ts'
import { publishVersion, refuseSize, uploadLimit, type PublishCtx } from '../publish.service.ts'
import { removeVersion } from '../package.service.ts'
import { setTag } from '../catalog/tag.service.ts'
import { readDocument } from './document.ts'
import {
  archiveName,
  checkIntegrity,
  deprecationsOf,
  isNpmTag,
  publicationOf,
  type NpmMetadata,
  type NpmPublication,
} from './npm.rules.ts'

const type = 'npm'

/** Largest document without its archive, in bytes. */
const maxDocumentBytes = 4 << 20

/**
 * Publishes a version, or changes deprecation notes (`npm deprecate`). A tag that looks like a version refuses the
 * publication before anything is stored.
 */
export async function publishDocument(ctx: PublishCtx, body: Readable, signal: AbortSignal): Promise<void> {
  const maxBytes = uploadLimit(ctx, ctx.config.packages.limitSizeNpm)
  await refuseSize(ctx, 0, maxBytes)
  await storeContents(ctx, async (receive) => {
    const archives: ReceivedContent[] = []
    const document = await readDocument(body, maxDocumentBytes, async (_name, content) => {
      // Only the first archive counts.
      if (archives.length > 0) return void content.resume()
      archives.push(await receive(content, maxBytes, signal))
    })
    const notes = deprecationsOf(document)
    if (notes) return deprecate(ctx, document as { name?: unknown }, notes)
    const publication = publicationOf(document)
    const [archive] = archives
    if (!archive) throw new BadRequest('the document has no archive', 'npm_archive_missing')
    await publishArchive(ctx, publication, archive)
  })
}

async function publishArchive(ctx: PublishCtx, publication: NpmPublication, archive: ReceivedContent): Promise<void> {
  const { name, version, tags, metadata } = publication
  if (!tags.every(isNpmTag)) throw noTag()
  const { sha1 = '', sha512 = '' } = archive.digests
  checkIntegrity(metadata, { sha1, sha512, sha256: archive.sha256 })
  const repoId = await repoToLink(ctx, metadata.repository.url)
  await publishVersion(ctx, {
    type,
    name,
    version,
    metadata: metadata satisfies NpmMetadata,
    ifExists: 'refuse',
    tags,
    repoId,
    files: [{ fileName: archiveName(name, version), isLead: true, content: archive }],
  })
}

const noTag = () => new BadRequest('a tag must not look like a version', 'npm_tag_invalid')

async function deprecate(ctx: PublishCtx, { name }: { name?: unknown }, notes: ReadonlyMap<string, string>) {
  if (typeof name !== 'string') throw new BadRequest('the name of the package is invalid', 'package_name_invalid')
  const { versions } = await getPackageWithVersions(ctx, type, name)
  for (const version of versions) {
    const note = notes.get(version.version)
    if (note === undefined) continue
    await updateVersionMetadata<NpmMetadata>(ctx, version, ({ deprecated: _former, ...known }) =>
      note === '' ? known : { ...known, deprecated: note },
    )
  }
}

/** Points a tag to a version. */
export async function tagVersion(ctx: SubjectCtx, name: string, tag: string, version: unknown): Promise<void> {
  const row = await getPackageRow(ctx, type, name)
  if (!isNpmTag(tag)) throw noTag()
  if (typeof version !== 'string') throw new NotFound('the version does not exist', 'package_not_found')
  await setTag(ctx, row, tag, version)
}

/** Removes a package with all versions. */
export async function removePackage(ctx: SubjectCtx & SignedInCtx, versions: readonly VersionWithMetadata[]) {
  for (const version of versions) await removeVersion(ctx, version)
}
