import { data, Evaluator, Lexer, Parser, wellKnownFunctions } from '@actions/expressions'
import type { Plain } from './plain-yaml.ts'
import { replaceExpressions, soleExpression } from './templates.rules.ts'

/** Longest expression that is looked at, and longest text that comes of one or of a template, in characters. */
const maxExpressionLength = 4096
const usualResultLength = 16 * 1024

/** A function besides those that expressions always have: of texts, giving a text or a truth. */
export interface ExtraFunction {
  readonly minArgs: number
  readonly maxArgs: number
  readonly call: (...texts: readonly string[]) => string | boolean
}

/** What may be said beyond the usual. */
export interface ExpressionOptions {
  /** By their names, as they are written. */
  readonly functions?: Readonly<Record<string, ExtraFunction>>
  /** Longest text that an expression may come to, in characters. */
  readonly maxLength?: number
}

type FunctionMap = Map<string, (typeof wellKnownFunctions)[string]>

/** Functions whose results are bounded each: calls in each other would multiply them. */
function functionsOf({ functions = {}, maxLength = usualResultLength }: ExpressionOptions): FunctionMap {
  const extra = Object.entries(functions).map(([name, { minArgs, maxArgs, call }]) => {
    const given = (...values: data.ExpressionData[]): data.ExpressionData => {
      const result = call(...values.map((value) => value.coerceString()))
      return typeof result === 'boolean' ? new data.BooleanData(result) : new data.StringData(result)
    }
    return [name.toLowerCase(), { name, minArgs, maxArgs, call: given }] as const
  })
  const known = Object.entries(wellKnownFunctions).map(
    ([name, each]) =>
      [
        name,
        {
          ...each,
          call: (...values: data.ExpressionData[]) => {
            const result = each.call(...values)
            if (result.kind === data.Kind.String && result.coerceString().length > maxLength) throw tooLong()
            return result
          },
        },
      ] as const,
  )
  return new Map([...known, ...extra])
}

const tooLong = () => new Error('what an expression comes to is too long')

const usualFunctions = functionsOf({})

function dataOf(value: Plain): data.ExpressionData {
  if (value === null) return new data.Null()
  if (typeof value === 'string') return new data.StringData(value)
  if (typeof value === 'number') return new data.NumberData(value)
  if (typeof value === 'boolean') return new data.BooleanData(value)
  if (Array.isArray(value)) return new data.Array(...(value as readonly Plain[]).map(dataOf))
  return new data.Dictionary(...Object.entries(value).map(([key, each]) => ({ key, value: dataOf(each) })))
}

type Contexts = Readonly<Record<string, Plain>>

function evaluate(expression: string, contexts: Contexts, options: ExpressionOptions): data.ExpressionData {
  if (expression.length > maxExpressionLength) throw new Error('an expression is too long')
  const { tokens } = new Lexer(expression).lex()
  const functions = options.functions || options.maxLength ? functionsOf(options) : usualFunctions
  const own = [...functions.values()].filter(({ name }) => options.functions && Object.hasOwn(options.functions, name))
  const parsed = new Parser(tokens, Object.keys(contexts), own).parse()
  return new Evaluator(parsed, dataOf(contexts) as data.Dictionary, functions).evaluate()
}

/**
 * Fills a text's expressions in (`${{ … }}`).
 * @throws when an expression is none or asks for what is not known here
 */
export function fillIn(text: string, contexts: Contexts, options: ExpressionOptions = {}): string {
  const filled = replaceExpressions(text, (expression) => evaluate(expression.trim(), contexts, options).coerceString())
  if (filled.length > (options.maxLength ?? usualResultLength)) throw tooLong()
  return filled
}

/**
 * What a text stands for: when it is one expression whatever that comes to, which may be a list or a map, else the text
 * with its expressions filled in. Throws as `fillIn`.
 */
export function valueOf(text: string, contexts: Contexts, options: ExpressionOptions = {}): Plain {
  const expression = soleExpression(text)
  return expression === undefined ? fillIn(text, contexts, options) : resultOf(expression, contexts, options)
}

/** What an expression without its marks comes to. Throws as `fillIn`. */
export function resultOf(expression: string, contexts: Contexts, options: ExpressionOptions = {}): Plain {
  const result = JSON.stringify(evaluate(expression, contexts, options), data.replacer)
  if (result.length > (options.maxLength ?? usualResultLength)) throw tooLong()
  return JSON.parse(result) as Plain
}
