import type { SubjectCtx } from '../../access/context.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import { noFile } from '../package.rules.ts'
import type { FileWithMetadata } from '../catalog/catalog.store.ts'
import { urlBelow } from '../registry/registry-url.rules.ts'
import { semverOf } from '../registry/semver.rules.ts'
import type { UpstreamFile, UpstreamSource } from '../upstream/upstream-source.ts'
import { archiveName, isNpmName } from './npm.rules.ts'

type Json = Readonly<Record<string, unknown>>

const recordOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}

/** The member that holds the upstream's archive URL; the other members are for clients. */
const archiveMember = '_upstream'

/** Replaces the archive URLs in a package document with ours. Throws `BadRequest`. */
function ownDocument(ctx: SubjectCtx, name: string, content: Buffer): Buffer {
  let document: Json
  try {
    document = recordOf(JSON.parse(content.toString('utf8')))
  } catch {
    throw new BadRequest('the document is not JSON')
  }
  if (document['name'] !== name) throw new BadRequest('the document is of another package')
  const versions = Object.entries(recordOf(document['versions'])).flatMap(([version, value]) => {
    const about = recordOf(value)
    const dist = recordOf(about['dist'])
    const { tarball } = dist
    if (semverOf(version) === undefined || typeof tarball !== 'string') return []
    const own = {
      ...dist,
      tarball: urlBelow(ctx, 'npm', name, '-', version, archiveName(name, version)),
      [archiveMember]: tarball,
    }
    return [[version, { ...about, name, version, dist: own }] as const]
  })
  return Buffer.from(JSON.stringify({ ...document, versions: Object.fromEntries(versions) }))
}

/** Fetches the document of a package, with archive URLs of this server. */
export async function npmDocumentFrom(ctx: SubjectCtx, source: UpstreamSource, name: string): Promise<Buffer> {
  if (!isNpmName(name)) throw new NotFound('the package does not exist', 'package_not_found')
  const { content } = await source.document('document', `/${name.replace('/', '%2f')}`, {
    headers: { accept: 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8' },
    transform: (sent) => ownDocument(ctx, name, sent),
  })
  return content
}

/** Returns the strongest digest of Subresource Integrity, or the older SHA-1. */
function digestsOf({ integrity, shasum }: Json): UpstreamFile['digests'] {
  const [, sum] =
    /(?:^|\s)sha512-([A-Za-z0-9+/=]{88})(?:\?|\s|$)/.exec(typeof integrity === 'string' ? integrity : '') ?? []
  if (sum !== undefined) return { sha512: Buffer.from(sum, 'base64').toString('hex') }
  return typeof shasum === 'string' ? { sha1: shasum } : {}
}

/** Returns the archive of a version by file name. */
export function npmArchiveFrom(
  ctx: SubjectCtx,
  source: UpstreamSource,
  name: string,
  fileName: string,
): Promise<FileWithMetadata> {
  return source.file(fileName.toLowerCase(), ctx.config.packages.limitSizeNpm, async () => {
    const document = recordOf(JSON.parse((await npmDocumentFrom(ctx, source, name)).toString('utf8')))
    const found = Object.entries(recordOf(document['versions'])).find(
      ([version]) => archiveName(name, version) === fileName.toLowerCase(),
    )
    const dist = recordOf(recordOf(found?.[1])['dist'])
    const url = dist[archiveMember]
    if (typeof url !== 'string') throw noFile()
    return { url, digests: digestsOf(dist) }
  })
}
