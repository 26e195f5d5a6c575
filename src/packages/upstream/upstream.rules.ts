import { Invalid, NotFound } from '../../lib/errors.ts'
import { fits } from '../registry/glob.rules.ts'
import { trimTrailing } from '../../lib/trim-ends.ts'

/** Registries that can have an upstream. */
const upstreamTypes = ['cargo', 'container', 'go', 'maven', 'npm', 'pypi'] as const
export type UpstreamType = (typeof upstreamTypes)[number]

/** The registry that a word names, or `NotFound`. */
export function upstreamTypeOf(type: string): UpstreamType {
  const found = upstreamTypes.find((each) => each === type)
  if (!found) throw new NotFound('registries of this type have no upstreams', 'upstream_not_found')
  return found
}

/** The version under which what came from an upstream is kept; no list shows it. */
export const upstreamVersion = '_upstream'

/** The package under which that of a name is kept; no registry has names of this form. */
export const keptName = (name: string): string => `<upstream> ${name}`

/** Most patterns of names, and the longest one, in characters. */
const maxReserved = 100
const maxPatternLength = 200
const maxUrlLength = 1000

/** The address of an upstream as it is kept. Throws `Invalid`. */
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

/** Patterns of names as they are kept. Throws `Invalid`. */
export function reservedNames(patterns: readonly string[]): readonly string[] {
  if (patterns.length > maxReserved || patterns.some((each) => each === '' || each.length > maxPatternLength)) {
    const message = `[reserved]: at most ${maxReserved} patterns of ${maxPatternLength} characters`
    throw new Invalid(message, 'upstream_reserved_invalid', { field: 'reserved' })
  }
  return patterns.map((each) => each.toLowerCase())
}

/** Whether a name is the owner's alone, be there a package of it or not. */
export const isReserved = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => fits(pattern, name.toLowerCase()))
