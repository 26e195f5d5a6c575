import { mustDecide } from './expression.ts'
import { compileGlob, maxGlobLength } from './glob.ts'
import type { WorkBudget } from './work-budget.ts'

/** The value of an attribute: set, unset, or a text. */
export type AttributeValue = boolean | string

interface Rule {
  readonly fits: (path: string) => boolean
  readonly values: readonly (readonly [string, AttributeValue | undefined])[]
}

/** The attributes in the `.gitattributes` files of a repository. */
export interface Attributes {
  /**
   * Returns the attributes of a file by its path from the root. Unspecified attributes are missing.
   * @throws WorkTooCostly when all calls together exceed the budget
   */
  of(path: string): ReadonlyMap<string, AttributeValue>
}

/**
 * Reads `.gitattributes` files (gitattributes(5)). Deeper folders win over those above them, later lines over earlier ones.
 * Macros are not known.
 * @param files text of each file by its folder (empty for the root, no slash at the end)
 */
export function parseAttributes(files: ReadonlyMap<string, string>, budget: WorkBudget): Attributes {
  const folders = [...files.keys()].sort((one, other) => one.length - other.length)
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

/** Measured cost of reading a character of a file, in microseconds. */
const characterUs = 0.05

function rulesOf(folder: string, text: string, budget: WorkBudget): Rule[] {
  budget.take('processorUs', text.length * characterUs)
  return text.split(/\r?\n/).flatMap((line) => {
    const [pattern, words] = splitLine(line)
    // Patterns for folders and negated patterns are invalid in this file; escapes make a long one longer than a glob.
    if (pattern === '' || pattern.startsWith('!') || pattern.startsWith('[attr]') || pattern.endsWith('/')) return []
    if (pattern.length > maxGlobLength / 2) return []
    const values = words.flatMap(valueOf)
    return values.length === 0 ? [] : [{ fits: pathMatcher(folder, pattern, budget), values }]
  })
}

/** Splits a line into its pattern, which may be quoted, and its attributes. */
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

/** A pattern without a slash matches names in the folder and below; one with a slash matches the path from the folder. */
function pathMatcher(folder: string, pattern: string, budget: WorkBudget): (path: string) => boolean {
  const prefix = folder === '' ? '' : `${folder}/`
  const plain = pattern.replace(/[{}]/g, '\\$&')
  if (!pattern.includes('/')) {
    const name = compileGlob(plain, '/', budget)
    if (name.isFaulty) return () => false
    return (path) => path.startsWith(prefix) && mustDecide(budget, name.match(path.slice(path.lastIndexOf('/') + 1)))
  }
  // `**/` also matches no folder.
  const anchored = plain.replace(/^\//, '')
  const forms = new Set([anchored, anchored.replace(/^\*\*\//, ''), anchored.replaceAll('/**/', '/')])
  const matchers = [...forms].map((form) => compileGlob(form, '/', budget)).filter(({ isFaulty }) => !isFaulty)
  return (path) =>
    path.startsWith(prefix) && matchers.some((each) => mustDecide(budget, each.match(path.slice(prefix.length))))
}
