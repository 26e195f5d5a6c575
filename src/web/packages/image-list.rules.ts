import type { VersionWithMetadata } from '../../packages/catalog/catalog.service.ts'
import { metadataOf } from '../../packages/catalog/metadata.rules.ts'

/** Versions of an image that are the same manifest. */
export interface ListedImage {
  readonly digest: string
  /** The newest first; empty for an image without a tag. */
  readonly tags: readonly VersionWithMetadata[]
  readonly newest: VersionWithMetadata
  /** The image exists for several platforms. */
  readonly isIndex: boolean
}

/** Groups versions of an image by their manifests; the order of the versions stays. */
export const listImages = (versions: readonly VersionWithMetadata[]): readonly ListedImage[] => {
  const described = versions.map((version) => ({
    version,
    ...metadataOf<{ readonly digest?: string; readonly isTagged?: boolean; readonly isIndex?: boolean }>(version),
  }))
  return [...Map.groupBy(described, ({ version, digest }) => digest ?? version.lower_version).entries()].flatMap(
    ([digest, same]) => {
      const [first] = same
      if (first === undefined) return []
      const tags = same.filter(({ isTagged }) => isTagged === true).map(({ version }) => version)
      return [{ digest, tags, newest: first.version, isIndex: first.isIndex === true }]
    },
  )
}
