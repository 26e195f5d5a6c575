import type { SubjectCtx } from '../../access/context.ts'
import { escapeXml } from '../../lib/escape-xml.ts'
import { BadRequest } from '../../lib/errors.ts'
import { noFile } from '../package.rules.ts'
import type { FileWithMetadata } from '../catalog/catalog.store.ts'
import { recordOf, textIn, type JsonRecord } from '../registry/json-text.rules.ts'
import { urlBelow } from '../registry/registry-url.rules.ts'
import type { UpstreamSource } from '../upstream/upstream-source.ts'

/** A file of a package at the upstream. */
interface Listed {
  readonly name: string
  readonly url: string
  readonly sha256: string
  readonly requiresPython: string
  readonly isYanked: boolean
}

/** Largest number of files of a package. */
const maxFiles = 50_000
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._+!~-]{0,250}$/
const sumForm = /^[0-9a-f]{64}$/

/** The version segment in URLs of upstream files, whose names include the version. */
const anyVersion = '-'

const unescapeHtml = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39|#x27);/g, (_, name: string) =>
    name === 'amp' ? '&' : name === 'lt' ? '<' : name === 'gt' ? '>' : name === 'quot' ? '"' : "'",
  )

/** Parses the HTML list (PEP 503). */
function readPage(text: string, base: string): Listed[] {
  const listed: Listed[] = []
  for (const [, attributes = '', name = ''] of text.matchAll(/<a\b([^<>]{0,4000})>([^<>]{1,300})<\/a>/gi)) {
    const value = (key: string) => unescapeHtml(new RegExp(`\\b${key}="([^"]*)"`, 'i').exec(attributes)?.[1] ?? '')
    const url = URL.parse(value('href'), base)
    const sha256 = /sha256=([0-9a-f]{64})/i.exec(url?.hash ?? '')?.[1]?.toLowerCase()
    if (!url || sha256 === undefined) continue
    url.hash = ''
    const isYanked = /\bdata-yanked\b/i.test(attributes)
    listed.push({ name: name.trim(), url: url.href, sha256, requiresPython: value('data-requires-python'), isYanked })
  }
  return listed
}

/** Parses the JSON list (PEP 691). */
function readJson(text: string, base: string): Listed[] {
  let document: JsonRecord
  try {
    document = recordOf(JSON.parse(text))
  } catch {
    throw new BadRequest('the list is not JSON')
  }
  const { files } = document
  return (Array.isArray(files) ? files : []).map((each) => {
    const file = recordOf(each)
    return {
      name: textIn(file['filename']),
      url: URL.parse(textIn(file['url']), base)?.href ?? '',
      sha256: textIn(recordOf(file['hashes'])['sha256']).toLowerCase(),
      requiresPython: textIn(file['requires-python']),
      isYanked: file['yanked'] !== undefined && file['yanked'] !== false,
    }
  })
}

async function listFrom(source: UpstreamSource, name: string): Promise<readonly Listed[]> {
  const { content } = await source.document('simple', `/simple/${encodeURIComponent(name.toLowerCase())}/`, {
    headers: { accept: 'application/vnd.pypi.simple.v1+json, text/html; q=0.5' },
    transform: (sent, { headers, url }) => {
      const isJson = /json/.test(String(headers['content-type'] ?? ''))
      const text = sent.toString('utf8')
      const listed = (isJson ? readJson(text, url) : readPage(text, url)).filter(
        (each) => nameForm.test(each.name) && sumForm.test(each.sha256) && each.url !== '',
      )
      if (listed.length > maxFiles) throw new BadRequest('the list is too long')
      return Buffer.from(JSON.stringify(listed))
    },
  })
  return JSON.parse(content.toString('utf8')) as readonly Listed[]
}

/** Fetches the page of a package, with file URLs of this server. */
export async function pypiPageFrom(ctx: SubjectCtx, source: UpstreamSource, name: string): Promise<string> {
  const links = (await listFrom(source, name)).map((file) => {
    const url = `${urlBelow(ctx, 'pypi', 'files', name.toLowerCase(), anyVersion, file.name)}#sha256=${file.sha256}`
    const python = file.requiresPython === '' ? '' : ` data-requires-python="${escapeXml(file.requiresPython)}"`
    return `<a href="${escapeXml(url)}"${python}${file.isYanked ? ' data-yanked=""' : ''}>${escapeXml(file.name)}</a><br>`
  })
  const title = `<title>Links for ${escapeXml(name)}</title>`
  return `<!DOCTYPE html>\n<html>\n<head>${title}</head>\n<body>\n${links.join('\n')}\n</body>\n</html>\n`
}

/** Returns a file of a package by name. */
export function pypiFileFrom(
  ctx: SubjectCtx,
  source: UpstreamSource,
  name: string,
  fileName: string,
): Promise<FileWithMetadata> {
  return source.file(fileName, ctx.config.packages.limitSizePypi, async () => {
    const found = (await listFrom(source, name)).find((each) => each.name === fileName)
    if (!found) throw noFile()
    return { url: found.url, digests: { sha256: found.sha256 } }
  })
}
