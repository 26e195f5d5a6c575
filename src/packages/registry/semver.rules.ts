import compareBuild from 'semver/functions/compare-build.js'
import parse from 'semver/functions/parse.js'

/** Longest version in characters. */
const maxLength = 256

/** Normalizes a semantic version (`v1.0.0` becomes `1.0.0`) and keeps its build; returns undefined for other text. */
export function semverOf(text: unknown): string | undefined {
  const parsed = typeof text === 'string' && text.length <= maxLength ? parse(text) : null
  if (!parsed) return undefined
  return parsed.build.length > 0 ? `${parsed.version}+${parsed.build.join('.')}` : parsed.version
}

/** Orders versions by precedence; invalid ones come first. */
export function compareSemver(one: string, other: string): number {
  const [left, right] = [parse(one), parse(other)]
  if (!left || !right) return Number(left !== null) - Number(right !== null)
  return compareBuild(left, right)
}

/** Returns whether a version is a pre-release. */
export const isPrerelease = (version: string): boolean => (parse(version)?.prerelease.length ?? 0) > 0

/** Returns the newest release, or the newest version when there is no release. */
export function newestOf<Item>(items: readonly Item[], versionOf: (item: Item) => string): Item | undefined {
  const sorted = items.toSorted((one, other) => compareSemver(versionOf(one), versionOf(other)))
  return sorted.findLast((item) => !isPrerelease(versionOf(item))) ?? sorted.at(-1)
}
