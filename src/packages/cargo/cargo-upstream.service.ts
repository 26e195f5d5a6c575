import type { SubjectCtx } from '../../access/context.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import type { FileWithMetadata } from '../catalog/catalog.store.ts'
import type { UpstreamSource } from '../upstream/upstream-source.ts'
import { crateFileName } from './cargo.rules.ts'
import { trimTrailing } from '../../lib/trim-ends.ts'

const nameForm = /^[A-Za-z][\w-]{0,63}$/
const sumForm = /^[0-9a-f]{64}$/

type Json = Readonly<Record<string, unknown>>

function recordOf(text: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Json) : {}
  } catch {
    throw new BadRequest('the document is not JSON')
  }
}

/** Returns the folder of a crate in an index. */
function prefixOf(name: string): string {
  if (name.length <= 2) return String(name.length)
  return name.length === 3 ? `3/${name[0]}` : `${name.slice(0, 2)}/${name.slice(2, 4)}`
}

function checkCrateName(name: string): string {
  if (!nameForm.test(name)) throw new NotFound('the crate does not exist', 'package_not_found')
  return name.toLowerCase()
}

const isLineOf = (name: string) => (line: string) => {
  if (line.trim() === '') return false
  const about = recordOf(line)
  const isOwn = typeof about['name'] === 'string' && about['name'].toLowerCase() === name
  return isOwn && typeof about['vers'] === 'string' && sumForm.test(String(about['cksum']))
}

/** Returns the index lines of a crate from the upstream. */
export async function crateLinesFrom(source: UpstreamSource, crate: string): Promise<Buffer> {
  const name = checkCrateName(crate)
  const { content } = await source.document('index', `/${prefixOf(name)}/${name}`, {
    transform: (sent) => {
      const lines = sent.toString('utf8').split('\n').filter(isLineOf(name))
      return Buffer.from(lines.map((line) => `${line}\n`).join(''))
    },
  })
  return content
}

/** Returns the URL of a version's archive by the template in the upstream's configuration. */
function archiveUrl(template: string, name: string, version: string, cksum: string): string {
  const [plain, lower] = [prefixOf(name), prefixOf(name.toLowerCase())]
  const marks: Readonly<Record<string, string>> = {
    '{crate}': name,
    '{version}': version,
    '{prefix}': plain,
    '{lowerprefix}': lower,
    '{sha256-checksum}': cksum,
  }
  const isTemplate = Object.keys(marks).some((mark) => template.includes(mark))
  if (!isTemplate) return `${trimTrailing(template, '/')}/${name}/${encodeURIComponent(version)}/download`
  return template.replaceAll(/\{[a-z0-9-]+\}/g, (mark) => encodeURI(marks[mark] ?? mark))
}

/** Returns the archive of a crate version. */
export function crateFrom(
  ctx: SubjectCtx,
  source: UpstreamSource,
  crate: string,
  version: string,
): Promise<FileWithMetadata> {
  const fileName = crateFileName(checkCrateName(crate), version)
  return source.file(fileName, ctx.config.packages.limitSizeCargo, async () => {
    const lines = (await crateLinesFrom(source, crate)).toString('utf8').split('\n').filter(Boolean).map(recordOf)
    const line = lines.find((each) => each['vers'] === version)
    if (!line) throw new NotFound('the version does not exist', 'package_not_found')
    const { content } = await source.document('config', '/config.json')
    const { dl } = recordOf(content.toString('utf8'))
    if (typeof dl !== 'string') throw new BadRequest('the configuration has no `dl`')
    const sha256 = String(line['cksum'])
    return { url: archiveUrl(dl, String(line['name']), version, sha256), digests: { sha256 } }
  })
}
