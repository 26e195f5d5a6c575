import type { SubjectCtx } from '../../access/context.ts'
import type { FoundPackage } from '../catalog/catalog.service.ts'
import type { FileWithMetadata, VersionWithMetadata } from '../catalog/catalog.store.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import type { CargoMetadata } from './cargo.rules.ts'

/** Returns `config.json`: the URLs of crates and API, and whether cargo must sign in. */
export function presentConfig({ config, subject }: SubjectCtx) {
  const base = `${config.server.rootUrl}api/packages/${encodeURIComponent(subject.name)}/cargo`
  const isOpen = subject.visibility === 'public' && !config.service.requireSigninView
  return { dl: `${base}/api/v1/crates`, api: base, 'auth-required': !isOpen }
}

/** Older versions of cargo ignore such features, so they stand in `features2`. */
const isNewSyntax = (values: readonly string[]): boolean =>
  values.some((value) => value.startsWith('dep:') || value.includes('?/'))

/** Returns the index of a crate: one JSON document per version, in the order of publication. */
export function presentIndex(versions: readonly VersionWithMetadata[], files: readonly FileWithMetadata[]): string {
  const sums = new Map(files.map((file) => [file.version_id, file.sha256]))
  return versions
    .map((version) => {
      const { deps, features, links, rustVersion, isYanked } = metadataOf<CargoMetadata>(version)
      const [plain, more] = [false, true].map((wanted) =>
        Object.fromEntries(Object.entries(features).filter(([, values]) => isNewSyntax(values) === wanted)),
      )
      const line = {
        name: version.name,
        vers: version.version,
        deps,
        cksum: sums.get(version.id) ?? '',
        features: plain,
        yanked: isYanked,
        ...(links === undefined ? {} : { links }),
        ...(rustVersion === undefined ? {} : { rust_version: rustVersion }),
        ...(Object.keys(more ?? {}).length === 0 ? {} : { features2: more, v: 2 }),
      }
      return `${JSON.stringify(line)}\n`
    })
    .join('')
}

/** Presents crates that a search found. */
export const presentFound = (packages: readonly FoundPackage[], total: number) => ({
  crates: packages.map(({ newest }) => {
    const { description } = metadataOf<CargoMetadata>(newest)
    return { name: newest.name, max_version: newest.version, description }
  }),
  meta: { total },
})
