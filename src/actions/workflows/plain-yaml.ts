import { LineCounter, parseDocument } from 'yaml'

/** Most values of a file, and how deep they lie in each other; aliases count each time. */
const maxValues = 20_000
const maxDepth = 40

/** What YAML comes to: what JSON can say. */
export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [key: string]: Plain }

export type PlainResult =
  | { readonly ok: true; readonly value: Plain; lineOf(path: readonly (string | number)[]): number | undefined }
  | { readonly ok: false; readonly problem: string }

/**
 * Reads YAML that strangers wrote: what is no YAML, nests too deep, or comes to too many values by its aliases, is a
 * problem with the line where it is known.
 */
export function readYaml(text: string): PlainResult {
  if (nestsTooDeep(text)) return wrong(`values lie more than ${maxDepth} deep in each other`)
  const lines = new LineCounter()
  try {
    const document = parseDocument(text, { lineCounter: lines, merge: true, logLevel: 'silent', prettyErrors: false })
    const [error] = document.errors
    if (error) return wrong(`line ${lines.linePos(error.pos[0]).line}: ${error.message}`)
    const value = plainOf(document.toJS({ maxAliasCount: 100 }) as unknown, { left: maxValues }, 0)
    return {
      ok: true,
      value,
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
    // Too many aliases, or a nesting that the reader itself does not follow.
    return wrong(error instanceof Error ? error.message.slice(0, 500) : 'the file can not be read')
  }
}

const wrong = (problem: string): PlainResult => ({ ok: false, problem })

/** Brackets nest without a new line, which the reader of YAML follows by calling itself. */
function nestsTooDeep(text: string): boolean {
  let run = 0
  for (const character of text) {
    if (character === '[' || character === '{') {
      if (++run > 500) return true
    } else if (character === ']' || character === '}') run = Math.max(0, run - 1)
  }
  return false
}

function plainOf(value: unknown, budget: { left: number }, depth: number): Plain {
  if (--budget.left < 0) throw new Error(`the file comes to more than ${maxValues} values`)
  if (depth > maxDepth) throw new Error(`values lie more than ${maxDepth} deep in each other`)
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

/** The text of a single value, as the file means it; undefined for lists, maps and nothing. */
export const plainText = (value: Plain | undefined): string | undefined =>
  value === undefined || value === null || typeof value === 'object' ? undefined : String(value)

/** A text, or a list of texts. Undefined for anything else. */
export function plainTexts(value: Plain | undefined): readonly string[] | undefined {
  const single = plainText(value)
  if (single !== undefined) return [single]
  if (!Array.isArray(value)) return undefined
  const texts = (value as readonly Plain[]).map(plainText)
  return texts.includes(undefined) ? undefined : (texts as string[])
}
