import type { SubjectCtx } from '../../access/context.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import type { FileWithMetadata } from '../catalog/catalog.store.ts'
import type { StoredArchive } from '../formats/stored-archive.ts'
import type { UpstreamDocument, UpstreamSource } from '../upstream/upstream-source.ts'
import { unescapeModule } from './go.rules.ts'

/** A module path or file name in Go's escaped form. */
const wordForm = /^[A-Za-z0-9_.~!+-]+(?:\/[A-Za-z0-9_.~!+-]+)*$/

function pathOf(...words: readonly string[]): string {
  const isPath = words.every((word) => wordForm.test(word) && !word.split('/').some((part) => /^\.+$/.test(part)))
  if (!isPath) throw new NotFound('the module does not exist', 'package_not_found')
  return words[0] ?? ''
}

/** Fetches the list of a module's versions, or its newest version. */
export const goDocumentFrom = (
  source: UpstreamSource,
  module: string,
  what: '@v/list' | '@latest',
): Promise<UpstreamDocument> => source.document(what, `/${pathOf(module)}/${what}`)

/** Fetches a file of a version, such as go.mod. A query that is no version may change its result. */
export const goVersionFrom = (source: UpstreamSource, module: string, file: string): Promise<UpstreamDocument> =>
  source.document(file, `/${pathOf(module, file)}/@v/${file}`)

/** The protocol has no checksums (clients get them from the checksum database), so this inspects the archive. */
const isArchiveOf = (module: string, version: string) => async (archive: StoredArchive) => {
  const { readZip } = await import('../formats/zip.ts')
  const { names } = await readZip(archive)
  const beginning = `${unescapeModule(module)}@${unescapeModule(version)}/`
  if (names.length === 0 || !names.every((name) => name.startsWith(beginning))) {
    throw new BadRequest('the archive is of another module')
  }
}

/** Returns the archive of a module version. */
export function goArchiveFrom(
  ctx: SubjectCtx,
  source: UpstreamSource,
  module: string,
  version: string,
): Promise<FileWithMetadata> {
  return source.file(`${version}.zip`, ctx.config.packages.limitSizeGo, async () => ({
    url: `${source.url}/${pathOf(module, version)}/@v/${version}.zip`,
    digests: {},
    check: isArchiveOf(module, version),
  }))
}
