import { readBoundedYaml, YamlProblem } from '../../lib/bounded-yaml.ts'

/** Most values in the text of a file. */
const maxValues = 10_000
/** Most values after aliases are expanded. */
const maxExpandedValues = 20_000
/** Deepest nesting of collections. */
const maxDepth = 40

/** A YAML value that JSON can represent. */
export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [key: string]: Plain }

export type PlainResult =
  | { readonly ok: true; readonly value: Plain; lineOf(path: readonly (string | number)[]): number | undefined }
  | { readonly ok: false; readonly problem: string }

/** Parses YAML from untrusted authors. A problem begins with its line when the line is known. */
export function readYaml(text: string): PlainResult {
  try {
    const { document, value, lines } = readBoundedYaml(text, { maxValues, maxDepth, merge: true })
    return {
      ok: true,
      value: plainOf(value, { left: maxExpandedValues }, 0),
      lineOf(path) {
        for (let length = path.length; length >= 0; length--) {
          const node = document.getIn(path.slice(0, length), true) as { range?: readonly number[] | null } | undefined
          const start = node?.range?.[0]
          if (start !== undefined) return lines.linePos(start).line
        }
        return undefined
      },
    }
  } catch (error) {
    if (error instanceof YamlProblem) return { ok: false, problem: error.message }
    throw error
  }
}

function plainOf(value: unknown, budget: { left: number }, depth: number): Plain {
  if (--budget.left < 0) throw new YamlProblem(`aliases expand to more than ${maxExpandedValues} values`)
  if (depth > maxDepth) throw new YamlProblem(`values nest more than ${maxDepth} levels deep`)
  if (Array.isArray(value)) return value.map((each: unknown) => plainOf(each, budget, depth + 1))
  if (typeof value === 'object' && value !== null) {
    const entries = value instanceof Map ? [...value] : Object.entries(value)
    return Object.fromEntries(entries.map(([key, each]) => [String(key), plainOf(each, budget, depth + 1)]))
  }
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  return null
}

export const isPlainMap = (value: Plain | undefined): value is { readonly [key: string]: Plain } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a scalar as a string; undefined for lists, maps and null. */
export const plainText = (value: Plain | undefined): string | undefined =>
  value === undefined || value === null || typeof value === 'object' ? undefined : String(value)

/** Returns a scalar or a list of scalars as strings; undefined for anything else. */
export function plainTexts(value: Plain | undefined): readonly string[] | undefined {
  const single = plainText(value)
  if (single !== undefined) return [single]
  if (!Array.isArray(value)) return undefined
  const texts = (value as readonly Plain[]).map(plainText)
  return texts.includes(undefined) ? undefined : (texts as string[])
}
