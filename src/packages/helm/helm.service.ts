import { BadRequest } from '../../lib/errors.ts'
import type { SubjectCtx } from '../../access/context.ts'
import { formatUnix } from '../../lib/time.ts'
import { getFilesOfVersions, searchPackages, wholeCatalog } from '../catalog/catalog.service.ts'
import { archiveIn } from '../formats/stored-archive.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { receiveUpload, publishVersion, type IncomingFile, type PublishCtx } from '../publish.service.ts'
import { cachedByRevision } from '../indexes/registry-cache.ts'
import { compareSemver } from '../registry/semver.rules.ts'
import { chartFileName, chartOf, type ChartMetadata } from './helm.rules.ts'

const type = 'helm'

const wanted = { name: /^[^/]+\/Chart\.yaml$/, maxBytes: 512 << 10, count: 1 }

/** Publishes a chart, or replaces the chart of its name and version. */
export async function publishChart(ctx: PublishCtx, incoming: IncomingFile): Promise<void> {
  await receiveUpload(ctx, incoming, ctx.config.packages.limitSizeHelm, async ({ arrived }) => {
    const [{ readTar }, { parseYaml }] = await Promise.all([import('../formats/tar.ts'), import('../formats/yaml.ts')])
    const [found] = await readTar(ctx, archiveIn(ctx, arrived), wanted)
    if (!found) throw new BadRequest('the archive contains no chart', 'helm_chart_missing')
    const metadata = chartOf(parseYaml(found.content.toString('utf8')))
    const { name, version } = metadata
    const files = [{ fileName: chartFileName(metadata), isLead: true, content: arrived }]
    await publishVersion(ctx, { type, name, version, metadata, ifExists: 'replace', files })
  })
}

/** Returns the index of all charts of an owner as YAML. */
export async function getIndex(ctx: SubjectCtx): Promise<Buffer> {
  const { text } = await cachedByRevision(ctx, type, 'index', async (changedUnix) => {
    const { packages } = await searchPackages(ctx, type, undefined, wholeCatalog)
    const all = packages.flatMap(({ versions }) => versions)
    const digests = new Map((await getFilesOfVersions(ctx, all)).map((file) => [file.version_id, file.sha256]))
    const base = `${ctx.config.server.rootUrl}api/packages/${encodeURIComponent(ctx.subject.name)}/helm`
    const entries = packages.map(({ row, versions }) => [
      row.name,
      versions
        .toSorted((one, other) => compareSemver(other.version, one.version))
        .map((version) => {
          const metadata = metadataOf<ChartMetadata>(version)
          return {
            ...metadata,
            created: formatUnix(version.created_unix),
            digest: digests.get(version.id) ?? '',
            urls: [`${base}/${encodeURIComponent(chartFileName(metadata))}`],
          }
        }),
    ])
    const { writeYaml } = await import('../formats/yaml.ts')
    const contextPath = new URL(base).pathname
    const index = {
      apiVersion: 'v1',
      entries: Object.fromEntries(entries) as object,
      generated: formatUnix(changedUnix),
      serverInfo: { contextPath },
    }
    return { text: Buffer.from(writeYaml(index)) }
  })
  return text
}
