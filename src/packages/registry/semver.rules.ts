import compareBuild from 'semver/functions/compare-build.js'
import parse from 'semver/functions/parse.js'

/** Longest version, in characters. */
const maxLength = 256

/** A version by Semantic Versioning as it is written there (`v1.0.0` is `1.0.0`), with its build; undefined for others. */
export function semverOf(text: unknown): string | undefined {
  const parsed = typeof text === 'string' && text.length <= maxLength ? parse(text) : null
  if (!parsed) return undefined
  return parsed.build.length > 0 ? `${parsed.version}+${parsed.build.join('.')}` : parsed.version
}

/** Older before newer; what is no version comes first. */
export function compareSemver(one: string, other: string): number {
  const [left, right] = [parse(one), parse(other)]
  if (!left || !right) return Number(left !== null) - Number(right !== null)
  return compareBuild(left, right)
}

/** Whether a version comes before a release. */
export const isPrerelease = (version: string): boolean => (parse(version)?.prerelease.length ?? 0) > 0

/** The newest of some versions: the newest release if there is one. */
export function newestOf<Item>(items: readonly Item[], versionOf: (item: Item) => string): Item | undefined {
  const sorted = items.toSorted((one, other) => compareSemver(versionOf(one), versionOf(other)))
  return sorted.findLast((item) => !isPrerelease(versionOf(item))) ?? sorted.at(-1)
}
