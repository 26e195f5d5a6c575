import type { SubjectCtx } from '../../access/context.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import type { FileWithMetadata } from '../catalog/catalog.store.ts'
import type { UpstreamSource } from '../upstream/upstream-source.ts'
import {
  checkImageName,
  contentNameOf,
  digestOf,
  isDigest,
  isTag,
  manifestMediaTypes,
  parseManifest,
} from './container.rules.ts'

/** Largest number of tags that an upstream is asked for. */
const maxTags = 10_000

const digestsOf = (digest: string) => {
  const { algorithm, hex } = contentNameOf(digest)
  return { [algorithm]: hex }
}

/** Fetches a manifest by a tag, which may move, or by its digest. */
export async function manifestFrom(source: UpstreamSource, image: string, reference: string) {
  checkImageName(image)
  if (!isDigest(reference) && !isTag(reference)) throw new NotFound('the manifest does not exist', 'manifest_unknown')
  const { file, contentType } = await source.document(`manifest ${reference}`, `/v2/${image}/manifests/${reference}`, {
    headers: { accept: manifestMediaTypes.join(', ') },
    transform: (content, { headers }) => {
      parseManifest(content.toString('utf8'), String(headers['content-type'] ?? ''))
      return content
    },
  })
  const digest = digestOf(file.sha256)
  if (isDigest(reference) && reference !== digest && reference !== `sha512:${file.sha512}`) {
    throw new BadRequest('the manifest is not what its digest says', 'digest_invalid')
  }
  return { file, metadata: { digest: isDigest(reference) ? reference : digest, mediaType: contentType } }
}

/** Fetches a blob of an image. */
export function blobFrom(
  ctx: SubjectCtx,
  source: UpstreamSource,
  image: string,
  digest: string,
): Promise<FileWithMetadata> {
  checkImageName(image)
  if (!isDigest(digest)) throw new NotFound('the content does not exist', 'blob_unknown')
  return source.file(digest, ctx.config.packages.limitSizeContainer, async () => ({
    url: `${source.url}/v2/${image}/blobs/${digest}`,
    digests: digestsOf(digest),
  }))
}

/** Fetches the tags of an image in lexical order, after a tag. */
export async function tagsFrom(source: UpstreamSource, image: string, after: string, limit: number) {
  checkImageName(image)
  const { content } = await source.document('tags', `/v2/${image}/tags/list?n=${maxTags}`, {
    transform: (sent) => {
      let list: unknown
      try {
        list = (JSON.parse(sent.toString('utf8')) as { tags?: unknown } | null)?.tags
      } catch {
        throw new BadRequest('the list of tags is no JSON')
      }
      return Buffer.from(JSON.stringify((Array.isArray(list) ? list : []).filter((tag) => isTag(String(tag)))))
    },
  })
  const tags = (JSON.parse(content.toString('utf8')) as readonly string[])
    .toSorted((one, other) => (one < other ? -1 : 1))
    .filter((tag) => after === '' || tag > after)
  return { tags: tags.slice(0, limit), hasMore: tags.length > limit }
}
