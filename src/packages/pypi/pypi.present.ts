import type { SubjectCtx } from '../../access/context.ts'
import { escapeXml } from '../../lib/escape-xml.ts'
import type { FileWithMetadata, VersionWithMetadata } from '../catalog/catalog.store.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import type { PypiMetadata } from './pypi.rules.ts'

/** Presents the page of a package: a link to each file (PEP 503). */
export function presentSimple(
  { config, subject }: SubjectCtx,
  name: string,
  versions: readonly VersionWithMetadata[],
  files: readonly FileWithMetadata[],
): string {
  const base = `${config.server.rootUrl}api/packages/${encodeURIComponent(subject.name)}/pypi/files`
  const described = new Map(versions.map((version) => [version.id, metadataOf<PypiMetadata>(version)]))
  const links = files.map((file) => {
    const path = [name.toLowerCase(), file.version, file.name].map((each) => encodeURIComponent(each)).join('/')
    const python = described.get(file.version_id)?.requiresPython ?? ''
    const attribute = python === '' ? '' : ` data-requires-python="${escapeXml(python)}"`
    return `<a href="${escapeXml(`${base}/${path}#sha256=${file.sha256}`)}"${attribute}>${escapeXml(file.name)}</a><br>`
  })
  const title = `<title>Links for ${escapeXml(name)}</title>`
  return `<!DOCTYPE html>\n<html>\n<head>${title}</head>\n<body>\n${links.join('\n')}\n</body>\n</html>\n`
}
