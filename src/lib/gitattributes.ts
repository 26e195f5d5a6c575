import { compileGlob } from './glob.ts'
import { MatchBudget } from './pattern.ts'

/** The value of an attribute: set, unset, or a text. */
export type AttributeValue = boolean | string

interface Rule {
  readonly fits: (path: string) => boolean
  readonly values: readonly (readonly [string, AttributeValue | undefined])[]
}

/** The attributes of a repository: what the `.gitattributes` files of its folders say. */
export interface Attributes {
  /**
   * Attributes of a file by its path from the root; an attribute that no line names is missing.
   * @throws PatternsTooCostly when all questions together took too long
   */
  of(path: string): ReadonlyMap<string, AttributeValue>
}

/**
 * Reads `.gitattributes` files (gitattributes(5)). Deeper folders win over those above them, later lines over earlier ones.
 * Macros are not known.
 * @param files text of each file by its folder (empty for the root, no slash at the end)
 */
export function parseAttributes(files: ReadonlyMap<string, string>): Attributes {
  const folders = [...files.keys()].sort((one, other) => one.length - other.length)
  const budget = new MatchBudget()
  const rules = folders.flatMap((folder) => rulesOf(folder, files.get(folder) ?? '', budget))
  return {
    of(path) {
      const found = new Map<string, AttributeValue>()
      for (const rule of rules) if (rule.fits(path)) applyRule(found, rule)
      return found
    },
  }
}

function applyRule(found: Map<string, AttributeValue>, rule: Rule): void {
  for (const [name, value] of rule.values) {
    if (value === undefined) found.delete(name)
    else found.set(name, value)
  }
}

function rulesOf(folder: string, text: string, budget: MatchBudget): Rule[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [pattern, words] = splitLine(line)
    // Folders have no attributes of their own, and negation is not allowed here.
    if (pattern === '' || pattern.startsWith('!') || pattern.startsWith('[attr]') || pattern.endsWith('/')) return []
    const values = words.flatMap(valueOf)
    return values.length === 0 ? [] : [{ fits: pathMatcher(folder, pattern, budget), values }]
  })
}

/** The pattern of a line, which quotes may enclose, and its words. */
function splitLine(line: string): [string, string[]] {
  const trimmed = line.trim()
  if (trimmed === '' || trimmed.startsWith('#')) return ['', []]
  const quoted = /^"((?:[^"\\]|\\.)*)"\s*(.*)$/s.exec(trimmed)
  if (quoted) return [(quoted[1] as string).replace(/\\(.)/g, '$1'), (quoted[2] as string).split(/\s+/)]
  const [pattern = '', ...words] = trimmed.split(/\s+/)
  return [pattern, words]
}

function valueOf(word: string): [string, AttributeValue | undefined][] {
  if (word === '') return []
  if (word.startsWith('-')) return [[word.slice(1), false]]
  if (word.startsWith('!')) return [[word.slice(1), undefined]]
  const equals = word.indexOf('=')
  return equals < 0 ? [[word, true]] : [[word.slice(0, equals), word.slice(equals + 1)]]
}

/** A pattern without a slash is about names in the folder and below; with one it is about the path from the folder. */
function pathMatcher(folder: string, pattern: string, budget: MatchBudget): (path: string) => boolean {
  const prefix = folder === '' ? '' : `${folder}/`
  const plain = pattern.replace(/[{}]/g, '\\$&')
  if (!pattern.includes('/')) {
    const fits = compileGlob(plain, '/', budget)
    return (path) => path.startsWith(prefix) && fits(path.slice(path.lastIndexOf('/') + 1))
  }
  // `**/` is also no folder at all.
  const anchored = plain.replace(/^\//, '')
  const forms = new Set([anchored, anchored.replace(/^\*\*\//, ''), anchored.replaceAll('/**/', '/')])
  const matchers = [...forms].map((form) => compileGlob(form, '/', budget))
  return (path) => path.startsWith(prefix) && matchers.some((fits) => fits(path.slice(prefix.length)))
}
