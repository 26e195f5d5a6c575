import { BadRequest } from '../../lib/errors.ts'

const idForm = /^\w+(?:[.-]\w+)*$/
const versionForm =
  /^(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([0-9A-Za-z.-]{1,128}))?(?:\+[0-9A-Za-z.-]{1,128})?$/
const maxIdLength = 100

/** Metadata of a version. */
export interface NugetMetadata {
  readonly description: string
  readonly authors: string
  readonly title: string
  readonly projectUrl: string
  readonly releaseNotes: string
  readonly tags: string
  readonly requireLicenseAcceptance: boolean
  readonly developmentDependency: boolean
  readonly dependencies: readonly NugetDependencies[]
}

/** The dependencies for one framework; the empty text stands for all frameworks. */
export interface NugetDependencies {
  readonly targetFramework: string
  readonly packages: readonly { readonly id: string; readonly version: string }[]
}

/** Normalizes a version like NuGet: no leading zeros, no fourth number that is zero, no build. Throws `BadRequest`. */
export function nugetVersion(text: string): string {
  const found = versionForm.exec(text.trim())
  if (!found) throw new BadRequest('the version is invalid', 'package_version_invalid')
  const [, major, minor, patch = '0', revision = '0', label] = found
  const numbers = [major, minor, patch, ...(Number(revision) === 0 ? [] : [revision])].map(Number)
  return numbers.join('.') + (label === undefined ? '' : `-${label}`)
}

export function checkNugetId(id: string): string {
  if (id.length > maxIdLength || !idForm.test(id)) throw new BadRequest('the id is invalid', 'package_name_invalid')
  return id
}

const labelParts = (version: string): string[] => version.split('-').slice(1).join('-').split('.')

/** Orders versions by precedence. */
export function compareNuget(one: string, other: string): number {
  const numbers = (version: string) => (version.split('-')[0] ?? '').split('.').map(Number)
  const [left, right] = [numbers(one), numbers(other)]
  for (let index = 0; index < 4; index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0)
    if (difference !== 0) return difference
  }
  if (!one.includes('-') || !other.includes('-')) return Number(other.includes('-')) - Number(one.includes('-'))
  const [first, second] = [labelParts(one.toLowerCase()), labelParts(other.toLowerCase())]
  for (let index = 0; index < Math.max(first.length, second.length); index += 1) {
    const [a, b] = [first[index], second[index]]
    if (a === b) continue
    if (a === undefined || b === undefined) return a === undefined ? -1 : 1
    const [isLeft, isRight] = [/^\d+$/.test(a), /^\d+$/.test(b)]
    if (isLeft && isRight) return Number(a) - Number(b)
    if (isLeft !== isRight) return isLeft ? -1 : 1
    return a < b ? -1 : 1
  }
  return 0
}

export const nupkgName = (id: string, version: string): string => `${id}.${version}.nupkg`.toLowerCase()
export const nuspecName = (id: string): string => `${id}.nuspec`.toLowerCase()

/** Parses the parameters of a search of protocol version 2. */
export function searchedFor(query: URLSearchParams): { readonly text: string; readonly id: string | undefined } {
  const unquoted = (text: string | null) => (text ?? '').replace(/^'(.*)'$/s, '$1').replaceAll("''", "'")
  const filter = query.get('$filter') ?? ''
  const inFilter = /(?:^|\W)(?:tolower\()?Id\)?\s+eq\s+'([^']*)'/i.exec(filter)?.[1]
  const id = unquoted(query.get('id')) || inFilter
  return { text: unquoted(query.get('searchTerm')), id: id === '' ? undefined : id }
}
