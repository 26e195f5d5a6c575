import type { SubjectCtx } from '../../access/context.ts'
import { NotFound } from '../../lib/errors.ts'
import type { FileWithMetadata } from '../catalog/catalog.store.ts'
import type { UpstreamSource } from '../upstream/upstream-source.ts'
import { isSnapshot, type MavenPath } from './maven.rules.ts'

const sumForm = /^\s*([0-9a-f]{32,128})\b/i
const sums = ['sha256', 'sha1', 'md5'] as const

const folderOf = ({ groupId, artifactId, version }: MavenPath): string =>
  [...groupId.split('.'), artifactId, ...(version === undefined ? [] : [version])].map(encodeURIComponent).join('/')

/** Fetches the list of an artifact's versions. */
export async function mavenListFrom(source: UpstreamSource, path: MavenPath): Promise<Buffer> {
  return (await source.document('maven-metadata.xml', `/${folderOf(path)}/maven-metadata.xml`)).content
}

/** Fetches a file of a version. Snapshots change under their names, so they are not fetched. */
export function mavenFileFrom(ctx: SubjectCtx, source: UpstreamSource, path: MavenPath): Promise<FileWithMetadata> {
  const { version = '', fileName } = path
  if (isSnapshot(version)) throw new NotFound('snapshots are not fetched from upstreams', 'package_file_not_found')
  const at = `/${folderOf(path)}/${encodeURIComponent(fileName)}`
  return source.file(`${version}/${fileName}`, ctx.config.packages.limitSizeMaven, async () => {
    // Repositories provide different checksums.
    for (const sum of sums) {
      try {
        const { content } = await source.document(`${version}/${fileName}.${sum}`, `${at}.${sum}`)
        const [, hex] = sumForm.exec(content.toString('latin1', 0, 1000)) ?? []
        if (hex !== undefined) return { url: `${source.url}${at}`, digests: { [sum]: hex } }
      } catch (error) {
        if (!(error instanceof NotFound)) throw error
      }
    }
    throw new NotFound('the upstream has no such file with a checksum', 'package_file_not_found')
  })
}
