import { Script, createContext } from 'node:vm'

/** Regular expressions of users, and the texts to match. */
export interface ExpressionJob {
  readonly sources: readonly string[]
  readonly flags: 'u' | 'iu'
  readonly texts: readonly string[]
}

/** For each expression, whether it matches each text; undefined for an invalid or too slow expression. */
export type ExpressionAnswer = readonly (readonly boolean[] | undefined)[]

/** Timeout of one expression on all texts, and of all expressions, in milliseconds. */
const maxMs = 100
const maxMsInAll = 1000

/** Whether an expression can be compiled. */
export function isRegExp(source: string): boolean {
  try {
    return new RegExp(source, 'u') instanceof RegExp
  } catch {
    return false
  }
}

const script = new Script(`{
  const expression = new RegExp(source, flags)
  texts.map((text) => expression.test(text))
}`)

/** Matches expressions. It may take a second, so only `expression-worker.ts` calls it, in a thread. */
export function testExpressions({ sources, flags, texts }: ExpressionJob): ExpressionAnswer {
  const scope: { source: string; flags: string; texts: readonly string[] } = { source: '', flags, texts: [...texts] }
  const context = createContext(Object.setPrototypeOf(scope, null) as object)
  const beganMs = performance.now()
  return sources.map((source) => {
    const leftMs = Math.min(maxMs, Math.floor(beganMs + maxMsInAll - performance.now()))
    if (leftMs < 1) return undefined
    scope.source = source
    try {
      return [...(script.runInContext(context, { timeout: leftMs }) as boolean[])]
    } catch {
      return undefined
    }
  })
}
