import { isPlainMap, type Plain } from './plain-yaml.ts'
import { partsOf, replaceExpressions, soleExpression } from './templates.rules.ts'

/** The expressions that replace a context, such as `inputs`, in a called workflow. */
export interface Replacements {
  /** The expressions of the members, by name in lower case. */
  readonly names: ReadonlyMap<string, string>
  /** The expression of the whole context, for uses such as `toJSON(inputs)`. */
  readonly whole: string
}

/** Returns the replacements of a context with these members. */
export const replacementsOf = (values: Iterable<readonly [name: string, expression: string]>): Replacements => {
  const all = [...values]
  const names = new Map(all.map(([name, expression]) => [name.toLowerCase(), expression]))
  const plain = all.filter(([name]) => /^[A-Za-z_][\w-]*$/.test(name))
  if (plain.length === 0) return { names, whole: "fromJSON('{}')" }
  // The braces are arguments: a simple reader would take two of them in a row for the end of the expression.
  const frame = `{0}${plain.map(([name], at) => `"${name}":{${at + 2}}`).join(',')}{1}`
  const shown = plain.map(([, expression]) => `toJSON(${expression})`)
  return { names, whole: `fromJSON(format(${[literalOf(frame), "'{'", "'}'", ...shown].join(', ')}))` }
}

/** Returns a value as a literal of the expression language. */
export function literalOf(value: Plain): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  if (typeof value === 'object') return `fromJSON(${literalOf(JSON.stringify(value))})`
  return String(value)
}

/** Returns a string with embedded expressions as one expression, which the runner evaluates. */
export function expressionOf(value: Plain): string {
  if (typeof value !== 'string' || !value.includes('${{')) return literalOf(value)
  const sole = soleExpression(value)
  if (sole !== undefined) return `(${sole})`
  const expressions: string[] = []
  const argumentOf = (expression: string): string => {
    const known = expressions.indexOf(expression)
    return `{${known < 0 ? expressions.push(expression) - 1 : known}}`
  }
  // The braces are arguments: a simple reader would take two of them in a row for the end of the expression.
  const frame = partsOf(value)
    .map(({ text, isExpression }) =>
      isExpression ? argumentOf(text.trim()) : text.replaceAll(/[{}]/g, (brace) => argumentOf(`'${brace}'`)),
    )
    .join('')
  return `format(${[literalOf(frame), ...expressions].join(', ')})`
}

/**
 * Matches string literals, which stay as they are, members of a context (`inputs.name`, `inputs['name']`), and the context
 * itself.
 */
const usesOf = (context: string): RegExp =>
  new RegExp(
    `'(?:[^']|'')*'|(?<![\\w.-]|\\.\\s{1,8})${context}(?:\\s*(?:\\.\\s*([A-Za-z_][\\w-]*)|\\[\\s*'((?:[^']|'')*)'\\s*\\])|(?![\\w-]|\\s*\\())`,
    'gi',
  )

/** Replaces a context in an expression. A member without a replacement becomes `null`. */
export const replaceIn = (expression: string, context: string, { names, whole }: Replacements): string =>
  expression.replaceAll(usesOf(context), (text: string, plain: string | undefined, quoted: string | undefined) => {
    const name = plain ?? quoted
    if (name !== undefined) return names.get(name.toLowerCase()) ?? 'null'
    return text.startsWith("'") ? text : whole
  })

/** Replacements by the name of their context. */
export type Contexts = Readonly<Record<string, Replacements>>

const replaceAllIn = (expression: string, contexts: Contexts): string =>
  Object.entries(contexts).reduce((text, [context, names]) => replaceIn(text, context, names), expression)

/** Replaces contexts in the expressions of all strings of a value. */
export function replaceNames(value: Plain, contexts: Contexts): Plain {
  if (typeof value === 'string') {
    return replaceExpressions(value, (expression) => `\${{${replaceAllIn(expression, contexts)}}}`)
  }
  if (Array.isArray(value)) return (value as readonly Plain[]).map((each) => replaceNames(each, contexts))
  if (!isPlainMap(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      // An `if` is an expression also without `${{ }}`.
      key === 'if' && typeof each === 'string' && !each.includes('${{')
        ? replaceAllIn(each, contexts)
        : replaceNames(each, contexts),
    ]),
  )
}

/** Returns the members of a context that expressions of a value use, in lower case. */
export const namesIn = (value: Plain, context: string): readonly string[] =>
  partsOf(JSON.stringify(value))
    .filter(({ isExpression }) => isExpression)
    .flatMap(({ text }) => Array.from(text.matchAll(usesOf(context)), ([, plain, quoted]) => plain ?? quoted ?? ''))
    .filter((name) => name !== '')
    .map((name) => name.toLowerCase())

/** Returns an upper bound of the length of a value after its contexts are replaced. */
export function maxReplacedLength(value: Plain, contexts: Contexts): number {
  const text = JSON.stringify(value)
  return Object.entries(contexts).reduce((sum, [context, { names, whole }]) => {
    const usesWhole = new RegExp(`\\b${context}\\b(?!\\s*(?:\\.\\s*[A-Za-z_]|\\[\\s*'))`, 'i').test(text)
    const longest = Math.max(usesWhole ? whole.length : 0, ...Array.from(names.values(), ({ length }) => length))
    return sum + (text.toLowerCase().split(context).length - 1) * longest
  }, text.length)
}

/** The location of a called workflow: the commit of the caller, or a reference of a repository. */
export type CallTarget =
  | { readonly id: string; readonly repository?: undefined }
  | { readonly id: string; readonly repository: string; readonly ref: string }

/** Parses `uses` of a job. Returns undefined when it is not the path of a workflow. */
export function parseCallTarget(uses: string): CallTarget | undefined {
  const [, repository, id, ref] =
    /^(?:\.|([\w.-]+\/[\w.-]+))\/\.(?:forgejo|gitea|github)\/workflows\/([^@]+\.ya?ml)(?:@(.+))?$/.exec(uses) ?? []
  if (id === undefined) return undefined
  if (repository === undefined) return ref === undefined ? { id } : undefined
  return ref === undefined ? undefined : { id, repository, ref }
}
