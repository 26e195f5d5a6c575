import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

/** Returns the problem of a value, or undefined. It compiles the schema at the first use. */
export type Checker = (value: unknown) => string | undefined

export function createChecker(schema: TSchema): Checker {
  let validator: Validator | undefined
  return (value) => {
    validator ??= Compile(schema)
    if (validator.Check(value)) return undefined
    const [first] = validator.Errors(value)
    return first
      ? `${first.instancePath === '' ? 'the value' : first.instancePath} ${first.message}`
      : 'it is malformed'
  }
}
