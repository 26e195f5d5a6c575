import type { SubjectCtx } from '../../access/context.ts'
import { formatUnix } from '../../lib/time.ts'
import type { FileWithMetadata, VersionWithMetadata } from '../catalog/catalog.store.ts'
import type { FoundPackage } from '../catalog/catalog.service.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { compareSemver } from '../registry/semver.rules.ts'
import { archiveName, type NpmMetadata } from './npm.rules.ts'

type BaseCtx = Pick<SubjectCtx, 'config' | 'subject'>

export const npmBase = ({ config, subject }: BaseCtx): string =>
  `${config.server.rootUrl}api/packages/${encodeURIComponent(subject.name)}/npm`

function presentVersion(ctx: BaseCtx, version: VersionWithMetadata, file: FileWithMetadata | undefined) {
  const { integrity, shasum, ...metadata } = metadataOf<NpmMetadata>(version)
  const fileName = file?.name ?? archiveName(version.name, version.version)
  const tarball = [version.name, '-', version.version, fileName].map((each) => encodeURIComponent(each)).join('/')
  return {
    _id: `${version.name}@${version.version}`,
    name: version.name,
    version: version.version,
    ...metadata,
    dist: {
      integrity: file ? `sha512-${Buffer.from(file.sha512, 'hex').toString('base64')}` : integrity,
      shasum: file?.sha1 ?? shasum,
      tarball: `${npmBase(ctx)}/${tarball}`,
    },
  }
}

/** Presents a package document: all versions and tags. */
export function presentDocument(
  ctx: BaseCtx,
  versions: readonly VersionWithMetadata[],
  files: readonly FileWithMetadata[],
  tags: readonly { readonly name: string; readonly version: string }[],
) {
  const sorted = versions.toSorted((one, other) => compareSemver(one.version, other.version))
  const byVersion = new Map(files.map((file) => [file.version_id, file]))
  const presented = sorted.map((version) => presentVersion(ctx, version, byVersion.get(version.id)))
  const newest = presented.at(-1)
  const first = versions[0]
  const times = versions.map((version) => [version.version, formatUnix(version.created_unix)])
  const made = versions.map((version) => version.created_unix)
  return {
    _id: first?.name,
    name: first?.name,
    description: newest?.description ?? '',
    'dist-tags': presentTags(tags),
    time: {
      created: formatUnix(Math.min(...made)),
      modified: formatUnix(Math.max(...made)),
      ...Object.fromEntries(times),
    },
    versions: Object.fromEntries(presented.map((version) => [version.version, version])),
    readme: newest?.readme,
    homepage: newest?.homepage,
    repository: newest?.repository,
    author: newest?.author,
    license: newest?.license,
    keywords: newest?.keywords,
  }
}

export const presentTags = (tags: readonly { readonly name: string; readonly version: string }[]) =>
  Object.fromEntries(tags.map(({ name, version }) => [name, version]))

/** Presents packages that a search found, each by its newest version. */
export function presentFound(
  ctx: BaseCtx,
  packages: readonly FoundPackage[],
  total: number,
  publishers: ReadonlyMap<number, { readonly name: string }>,
) {
  return {
    objects: packages.map(({ newest }) => {
      const metadata = metadataOf<NpmMetadata>(newest)
      const scope = newest.name.startsWith('@') ? newest.name.slice(0, newest.name.indexOf('/')) : 'unscoped'
      return {
        package: {
          scope,
          name: newest.name,
          version: newest.version,
          date: formatUnix(newest.created_unix),
          description: metadata.description ?? '',
          author: metadata.author ?? { name: '' },
          publisher: { name: publishers.get(newest.creator_id)?.name ?? '' },
          maintainers: [],
          keywords: metadata.keywords ?? [],
          links: {
            npm: npmBase(ctx),
            ...(typeof metadata.homepage === 'string' ? { homepage: metadata.homepage } : {}),
            ...(metadata.repository.url === '' ? {} : { repository: metadata.repository.url }),
          },
        },
      }
    }),
    total,
  }
}
