import { Script, createContext } from 'node:vm'

/** Longest time of one match, in milliseconds; expressions that people write can take for ever. */
const matchTimeoutMs = 100

const script = new Script('new RegExp(source, "u").test(text)')

/** Whether an expression can be compiled. */
export function isRegExp(source: string): boolean {
  try {
    return new RegExp(source, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/** Whether an expression finds something in a text; undefined when it is none or took too long. */
export function testRegExp(source: string, text: string): boolean | undefined {
  const context = createContext(Object.assign(Object.create(null) as object, { source, text }))
  try {
    return script.runInContext(context, { timeout: matchTimeoutMs }) === true
  } catch {
    return undefined
  }
}

const listScript = new Script(`{
  const expression = new RegExp(source, flags)
  texts.map((text) => expression.test(text))
}`)

/** Like `testRegExp` for many texts, with one limit of time for all; undefined when it is no expression or took too long. */
export function testRegExpOnAll(
  source: string,
  texts: readonly string[],
  flags: 'u' | 'iu' = 'u',
): readonly boolean[] | undefined {
  const context = createContext(Object.assign(Object.create(null) as object, { source, flags, texts: [...texts] }))
  try {
    return [...(listScript.runInContext(context, { timeout: matchTimeoutMs }) as boolean[])]
  } catch {
    return undefined
  }
}
