import type { TProperties } from 'typebox'

/**
 * A segment of a declared path:
 *
 * - `text`: a literal (`repos`);
 * - `param`: `{name}`, one segment with any value; an encoded slash belongs to the value;
 * - `pattern`: literals mixed with parameters (`{index}.{diffType}`), or a parameter whose schema lists its values
 *   (`enumeration`);
 * - `rest`: `{name+}`, one or more segments, at most once in a path (`/v2/{name+}/manifests/{reference}`).
 */
export type Segment =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'pattern'
      readonly names: readonly string[]
      readonly pattern: RegExp
      /** Number of literal characters. */
      readonly textLength: number
    }
  | { readonly kind: 'param'; readonly names: readonly [string] }
  | { readonly kind: 'rest'; readonly names: readonly [string] }

/** Parameter names of a path. */
export type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Plain}+` ? Plain : Name) | ParamNames<Rest>
  : never

const piece = /\{([\w-]+)(\+?)\}/g

/** Parses a declared path. Throws for an invalid one, which is a mistake in the program. */
export function parsePath(path: string, params: TProperties): Segment[] {
  if (!path.startsWith('/')) throw new Error(`the path ${path} does not begin with a slash`)
  const segments = splitPath(path).map((text) => parseSegment(path, text, params))
  if (segments.filter(({ kind }) => kind === 'rest').length > 1) {
    throw new Error(`the path ${path} has more than one parameter of several segments`)
  }
  return segments
}

/** Returns the segments of a path, without an empty one after a trailing slash. */
export function splitPath(path: string): string[] {
  const parts = path.split('/')
  if (parts.at(-1) === '') parts.pop()
  return parts.slice(1)
}

function parseSegment(path: string, text: string, params: TProperties): Segment {
  // Most segments are plain, and looking for pieces costs ten times as much.
  if (!/[{}*]/.test(text)) return { kind: 'text', text }
  const found = [...text.matchAll(piece)]
  const [first] = found
  if (!first) {
    throw new Error(`the path ${path} has a malformed parameter`)
  }
  const isWhole = first[0] === text
  const names = found.map((match) => match[1] as string)
  if (isWhole && first[2] === '+') return { kind: 'rest', names: [first[1] as string] }
  if (isWhole && !valuesOf(params[first[1] as string])) return { kind: 'param', names: [first[1] as string] }
  if (found.some((match) => match[2] === '+')) throw new Error(`{name+} stands alone between slashes: ${path}`)
  const texts = text.split(/\{[\w-]+\}/)
  const source = names
    .map((name, index) => {
      const values = valuesOf(params[name])
      return escaped(texts[index] as string) + (values ? `(${values.map(escaped).join('|')})` : '(.+)')
    })
    .join('')
  return {
    kind: 'pattern',
    names,
    pattern: new RegExp(`^${source}${escaped(texts.at(-1) as string)}$`, 's'),
    textLength: texts.join('').length,
  }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Returns the enumerated values of a schema, if any. */
const valuesOf = (schema: { readonly enum?: readonly string[] } | undefined): readonly string[] | undefined =>
  schema?.enum

/** Returns the parameter names of a path, in order. */
export const paramNames = (path: string): string[] => [...path.matchAll(piece)].map((match) => match[1] as string)

/**
 * Returns the name of a path parameter for descriptions: clients of the family look for a repository at
 * `{owner}/{repo}`, which the contract calls `{username}/{reponame}`.
 */
export function describedName(path: string, name: string): string {
  if (name === 'reponame') return 'repo'
  return name === 'username' && path.includes('{username}/{reponame}') ? 'owner' : name
}

/** Returns the path for descriptions: `{name+}` as `{name}`, under the names of descriptions, without a final slash. */
export const describedPath = (path: string): string =>
  path.replace(piece, (_, name: string) => `{${describedName(path, name)}}`).replace(/\/$/, '')

/** Returns the raw path after a number of segments; decoding would merge `+` and `%2B`. */
export const escapedPathAfter = ({ url }: { readonly url: string }, parts: number): string =>
  (url.split('?')[0] as string).split('/').slice(parts).join('/')
