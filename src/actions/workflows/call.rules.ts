import { isPlainMap, type Plain } from './plain-yaml.ts'
import { partsOf, replaceExpressions, soleExpression } from './templates.rules.ts'

/** What stands in the place of the names of a context: expressions, in brackets where they are more than one word. */
export interface Replacements {
  /** By names in lower case. */
  readonly names: ReadonlyMap<string, string>
  /** In the place of the context itself: all that it has, as `toJSON(inputs)` asks for it. */
  readonly whole: string
}

/** What stands in the place of a context that has these names and no others. */
export const replacementsOf = (values: Iterable<readonly [name: string, expression: string]>): Replacements => {
  const all = [...values]
  const names = new Map(all.map(([name, expression]) => [name.toLowerCase(), expression]))
  const plain = all.filter(([name]) => /^[A-Za-z_][\w-]*$/.test(name))
  if (plain.length === 0) return { names, whole: "fromJSON('{}')" }
  // Braces come as values: two of them in a row would end the expression for readers that look no closer.
  const frame = `{0}${plain.map(([name], at) => `"${name}":{${at + 2}}`).join(',')}{1}`
  const shown = plain.map(([, expression]) => `toJSON(${expression})`)
  return { names, whole: `fromJSON(format(${[literalOf(frame), "'{'", "'}'", ...shown].join(', ')}))` }
}

/** A value as an expression says it. */
export function literalOf(value: Plain): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  if (typeof value === 'object') return `fromJSON(${literalOf(JSON.stringify(value))})`
  return String(value)
}

/** A text of a file as one expression: what it fills in is kept, to be filled in by whoever runs the job. */
export function expressionOf(value: Plain): string {
  if (typeof value !== 'string' || !value.includes('${{')) return literalOf(value)
  const sole = soleExpression(value)
  if (sole !== undefined) return `(${sole})`
  const expressions: string[] = []
  const placeOf = (expression: string): string => {
    const known = expressions.indexOf(expression)
    return `{${known < 0 ? expressions.push(expression) - 1 : known}}`
  }
  // Braces come as values, too: two of them in a row would end the expression for readers that look no closer.
  const frame = partsOf(value)
    .map(({ text, isExpression }) =>
      isExpression ? placeOf(text.trim()) : text.replaceAll(/[{}]/g, (brace) => placeOf(`'${brace}'`)),
    )
    .join('')
  return `format(${[literalOf(frame), ...expressions].join(', ')})`
}

/** Texts in expressions, which are left alone, names of a context (`inputs.name`, `inputs['name']`), and the context itself. */
const named = (context: string): RegExp =>
  new RegExp(
    `'(?:[^']|'')*'|(?<![\\w.-]|\\.\\s{1,8})${context}(?:\\s*(?:\\.\\s*([A-Za-z_][\\w-]*)|\\[\\s*'((?:[^']|'')*)'\\s*\\])|(?![\\w-]|\\s*\\())`,
    'gi',
  )

/** An expression with a context replaced; names that are not among the replacements are nothing. */
export const replaceIn = (expression: string, context: string, { names, whole }: Replacements): string =>
  expression.replaceAll(named(context), (text: string, plain: string | undefined, quoted: string | undefined) => {
    const name = plain ?? quoted
    if (name !== undefined) return names.get(name.toLowerCase()) ?? 'null'
    return text.startsWith("'") ? text : whole
  })

/** What is replaced: of each context that is meant, the names. */
export type Contexts = Readonly<Record<string, Replacements>>

const replaceAllIn = (expression: string, contexts: Contexts): string =>
  Object.entries(contexts).reduce((text, [context, names]) => replaceIn(text, context, names), expression)

/** All texts of a value, with names in their expressions replaced. */
export function replaceNames(value: Plain, contexts: Contexts): Plain {
  if (typeof value === 'string') {
    return replaceExpressions(value, (expression) => `\${{${replaceAllIn(expression, contexts)}}}`)
  }
  if (Array.isArray(value)) return (value as readonly Plain[]).map((each) => replaceNames(each, contexts))
  if (!isPlainMap(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      // Conditions are expressions without marks.
      key === 'if' && typeof each === 'string' && !each.includes('${{')
        ? replaceAllIn(each, contexts)
        : replaceNames(each, contexts),
    ]),
  )
}

/** The names of a context that expressions of a value ask for, in lower case. */
export const namesIn = (value: Plain, context: string): readonly string[] =>
  partsOf(JSON.stringify(value))
    .filter(({ isExpression }) => isExpression)
    .flatMap(({ text }) => Array.from(text.matchAll(named(context)), ([, plain, quoted]) => plain ?? quoted ?? ''))
    .filter((name) => name !== '')
    .map((name) => name.toLowerCase())

/** How long a value may become at most when each name that is meant becomes a text as long as the longest. */
export function worstLength(value: Plain, contexts: Contexts): number {
  const text = JSON.stringify(value)
  return Object.entries(contexts).reduce((sum, [context, { names, whole }]) => {
    const isMeantWhole = new RegExp(`\\b${context}\\b(?!\\s*(?:\\.\\s*[A-Za-z_]|\\[\\s*'))`, 'i').test(text)
    const longest = Math.max(isMeantWhole ? whole.length : 0, ...Array.from(names.values(), ({ length }) => length))
    return sum + (text.toLowerCase().split(context).length - 1) * longest
  }, text.length)
}

/** Where a called workflow lies: in the commit of the caller, or at a reference of a repository. */
export type CallPlace =
  | { readonly id: string; readonly repository?: undefined }
  | { readonly id: string; readonly repository: string; readonly ref: string }

/** Reads what `uses` of a job says; undefined when it names no workflow. */
export function callPlaceOf(uses: string): CallPlace | undefined {
  const [, repository, id, ref] =
    /^(?:\.|([\w.-]+\/[\w.-]+))\/\.(?:forgejo|gitea|github)\/workflows\/([^@]+\.ya?ml)(?:@(.+))?$/.exec(uses) ?? []
  if (id === undefined) return undefined
  if (repository === undefined) return ref === undefined ? { id } : undefined
  return ref === undefined ? undefined : { id, repository, ref }
}
