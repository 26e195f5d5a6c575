import { data, Evaluator, Lexer, Parser, wellKnownFunctions } from '@actions/expressions'
import type { Plain } from './plain-yaml.ts'
import { replaceExpressions, soleExpression } from './templates.rules.ts'

/** Longest expression, and longest result of an expression or a template, in characters. */
const maxExpressionLength = 4096
const defaultResultLength = 16 * 1024

/** A function in addition to the standard ones. It takes strings. */
export interface ExtraFunction {
  readonly minArgs: number
  readonly maxArgs: number
  readonly call: (...texts: readonly string[]) => string | boolean
}

export interface ExpressionOptions {
  /** Additional functions by name. */
  readonly functions?: Readonly<Record<string, ExtraFunction>>
  /** Longest result of an expression, in characters. */
  readonly maxLength?: number
}

type FunctionMap = Map<string, (typeof wellKnownFunctions)[string]>

/** Returns functions with bounded results: nested calls could multiply the length of a result. */
function functionsOf({ functions = {}, maxLength = defaultResultLength }: ExpressionOptions): FunctionMap {
  const extra = Object.entries(functions).map(([name, { minArgs, maxArgs, call }]) => {
    const callWithStrings = (...values: data.ExpressionData[]): data.ExpressionData => {
      const result = call(...values.map((value) => value.coerceString()))
      return typeof result === 'boolean' ? new data.BooleanData(result) : new data.StringData(result)
    }
    return [name.toLowerCase(), { name, minArgs, maxArgs, call: callWithStrings }] as const
  })
  const known = Object.entries(wellKnownFunctions).map(
    ([name, each]) =>
      [
        name,
        {
          ...each,
          call: (...values: data.ExpressionData[]) => {
            // The event has megabytes, and many expressions of a run could write it.
            if (name === 'tojson') values.forEach((value) => checkLength(value, maxLength))
            if (name === 'fromjson') values.forEach(checkZeroBytes)
            const result = each.call(...values)
            if (result.kind === data.Kind.String && result.coerceString().length > maxLength) throw tooLong()
            return result
          },
        },
      ] as const,
  )
  return new Map([...known, ...extra])
}

/** Throws when the texts of a value have more than a number of characters. */
function checkLength(value: data.ExpressionData, maxLength: number): void {
  let left = maxLength
  const take = (length: number): void => {
    if ((left -= length) < 0) throw tooLong()
  }
  const read = (each: data.ExpressionData): void => {
    if (each.kind === data.Kind.Array) for (const item of each.values()) read(item)
    else if (each.kind === data.Kind.Dictionary) {
      for (const { key, value: member } of each.pairs()) {
        take(key.length)
        read(member)
      }
    } else take(each.coerceString().length)
  }
  read(value)
}

/** Throws when JSON spells a zero byte, which no database keeps. Nothing else in an expression makes one. */
function checkZeroBytes(json: data.ExpressionData): void {
  if (/\\u0000|\0/.test(json.coerceString())) throw new Error('a text holds a zero byte')
}

const tooLong = () => new Error('the result of the expression is too long')

const defaultFunctions = functionsOf({})

/** The data of frozen lists and maps: many expressions of a run read one event. */
const converted = new WeakMap<object, data.ExpressionData>()

function dataOf(value: Plain): data.ExpressionData {
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return convert(value)
  const known = converted.get(value) ?? convert(value)
  converted.set(value, known)
  return known
}

function convert(value: Plain): data.ExpressionData {
  if (value === null) return new data.Null()
  if (typeof value === 'string') return new data.StringData(value)
  if (typeof value === 'number') return new data.NumberData(value)
  if (typeof value === 'boolean') return new data.BooleanData(value)
  if (Array.isArray(value)) return new data.Array(...(value as readonly Plain[]).map(dataOf))
  return new data.Dictionary(...Object.entries(value).map(([key, each]) => ({ key, value: dataOf(each) })))
}

type Contexts = Readonly<Record<string, Plain>>

function evaluate(expression: string, contexts: Contexts, options: ExpressionOptions): data.ExpressionData {
  if (expression.length > maxExpressionLength) {
    throw new Error(`the expression is longer than ${maxExpressionLength} characters`)
  }
  const { tokens } = new Lexer(expression).lex()
  const functions = options.functions || options.maxLength ? functionsOf(options) : defaultFunctions
  const own = [...functions.values()].filter(({ name }) => options.functions && Object.hasOwn(options.functions, name))
  const parsed = new Parser(tokens, Object.keys(contexts), own).parse()
  return new Evaluator(parsed, dataOf(contexts) as data.Dictionary, functions).evaluate()
}

/**
 * Replaces the expressions of a string (`${{ … }}`) by their results.
 * @throws when an expression is malformed or uses an unknown name
 */
export function fillIn(text: string, contexts: Contexts, options: ExpressionOptions = {}): string {
  const { maxLength = defaultResultLength } = options
  let left = maxLength
  const filled = replaceExpressions(text, (expression) => {
    const result = evaluate(expression.trim(), contexts, options).coerceString()
    if ((left -= result.length) < 0) throw tooLong()
    return result
  })
  if (filled.length > maxLength) throw tooLong()
  return filled
}

/** Returns the result of a string that is one expression, which may be a list or a map, or else `fillIn`. Throws as `fillIn`. */
export function valueOf(text: string, contexts: Contexts, options: ExpressionOptions = {}): Plain {
  const expression = soleExpression(text)
  return expression === undefined ? fillIn(text, contexts, options) : resultOf(expression, contexts, options)
}

/** Returns the result of an expression without `${{ }}`. Throws as `fillIn`. */
export function resultOf(expression: string, contexts: Contexts, options: ExpressionOptions = {}): Plain {
  const value = evaluate(expression, contexts, options)
  checkLength(value, options.maxLength ?? defaultResultLength)
  const result = JSON.stringify(value, data.replacer)
  if (result.length > (options.maxLength ?? defaultResultLength)) throw tooLong()
  return JSON.parse(result) as Plain
}
