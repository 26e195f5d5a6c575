import { data, Evaluator, Lexer, Parser, wellKnownFunctions } from '@actions/expressions'
import type { Plain } from './plain-yaml.ts'

/** Longest expression that is looked at, and longest text that comes of one or of a template, in characters. */
const maxExpressionLength = 4096
const maxResultLength = 16 * 1024

/** Functions whose results are bounded each: calls in each other would multiply them. */
const functions = new Map(
  Object.entries(wellKnownFunctions).map(([name, known]) => [
    name,
    {
      ...known,
      call: (...values: data.ExpressionData[]) => {
        const result = known.call(...values)
        if (result.kind === data.Kind.String && result.coerceString().length > maxResultLength) {
          throw new Error('what an expression comes to is too long')
        }
        return result
      },
    },
  ]),
)

function dataOf(value: Plain): data.ExpressionData {
  if (value === null) return new data.Null()
  if (typeof value === 'string') return new data.StringData(value)
  if (typeof value === 'number') return new data.NumberData(value)
  if (typeof value === 'boolean') return new data.BooleanData(value)
  if (Array.isArray(value)) return new data.Array(...(value as readonly Plain[]).map(dataOf))
  return new data.Dictionary(...Object.entries(value).map(([key, each]) => ({ key, value: dataOf(each) })))
}

function evaluate(expression: string, contexts: Readonly<Record<string, Plain>>): data.ExpressionData {
  if (expression.length > maxExpressionLength) throw new Error('an expression is too long')
  const { tokens } = new Lexer(expression).lex()
  const parsed = new Parser(tokens, Object.keys(contexts), []).parse()
  return new Evaluator(parsed, dataOf(contexts) as data.Dictionary, functions).evaluate()
}

/** The whole of a text that is one expression. */
const alone = /^\s*\$\{\{([^]*?)\}\}\s*$/

/**
 * Fills a text's expressions in (`${{ … }}`).
 * @throws when an expression is none or asks for what is not known here
 */
export function fillIn(text: string, contexts: Readonly<Record<string, Plain>>): string {
  const filled = text.replaceAll(/\$\{\{([^]*?)\}\}/g, (_whole, expression: string) =>
    evaluate(expression.trim(), contexts).coerceString(),
  )
  if (filled.length > maxResultLength) throw new Error('what an expression comes to is too long')
  return filled
}

/**
 * What a text stands for: when it is one expression whatever that comes to, which may be a list or a map, else the text
 * with its expressions filled in. Throws as `fillIn`.
 */
export function valueOf(text: string, contexts: Readonly<Record<string, Plain>>): Plain {
  const [, expression] = alone.exec(text) ?? []
  if (expression === undefined || expression.includes('${{')) return fillIn(text, contexts)
  const result = JSON.stringify(evaluate(expression.trim(), contexts), data.replacer)
  if (result.length > maxResultLength) throw new Error('what an expression comes to is too long')
  return JSON.parse(result) as Plain
}
