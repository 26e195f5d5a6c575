import { Invalid, NotFound } from '../../lib/errors.ts'
import { normalName } from '../package.rules.ts'
import { matchesShellPattern } from '../../lib/shell-pattern.ts'
import { trimTrailing } from '../../lib/trim-ends.ts'

/** Registry types that support an upstream. */
const upstreamTypes = ['cargo', 'container', 'go', 'maven', 'npm', 'pypi'] as const
export type UpstreamType = (typeof upstreamTypes)[number]

/** Returns the registry type of a path, or throws `NotFound`. */
export function upstreamTypeOf(type: string): UpstreamType {
  const found = upstreamTypes.find((each) => each === type)
  if (!found) throw new NotFound('registries of this type do not support upstreams', 'upstream_not_found')
  return found
}

/** The internal version that holds files from an upstream. */
export const upstreamVersion = '_upstream'

/** Returns the internal package that holds files of a name; no registry allows names of this form. */
export const keptName = (name: string): string => `<upstream> ${name}`

/** Largest number of reserved patterns, and longest one in characters. */
const maxReserved = 100
const maxPatternLength = 200
const maxUrlLength = 1000

/** Normalizes the URL of an upstream. Throws `Invalid`. */
export function upstreamUrl(text: string): string {
  const url = text.length <= maxUrlLength ? URL.parse(text) : null
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw new Invalid('[url]: must be an http or https address without user and query', 'upstream_url_invalid', {
      field: 'url',
    })
  }
  return trimTrailing(url.href, '/')
}

/** Normalizes reserved patterns. Throws `Invalid`. */
export function reservedNames(patterns: readonly string[]): readonly string[] {
  if (patterns.length > maxReserved || patterns.some((each) => each === '' || each.length > maxPatternLength)) {
    const message = `[reserved]: at most ${maxReserved} patterns of ${maxPatternLength} characters`
    throw new Invalid(message, 'upstream_reserved_invalid', { field: 'reserved' })
  }
  return patterns.map((each) => each.toLowerCase())
}

/** Returns whether a name is reserved for the owner, even without a package of that name. */
export const isReserved = (type: UpstreamType, patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => matchesShellPattern(normalName(type, pattern), normalName(type, name)))
