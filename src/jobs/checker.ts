import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

/** Returns the problem of a value, or undefined. */
export type Checker = (value: unknown) => string | undefined

const validators = new WeakMap<TSchema, Validator>()

/** Returns the checker of a schema, which is compiled at its first use. */
export function createChecker(schema: TSchema): Checker {
  return (value) => {
    const validator = validatorOf(schema)
    if (validator.Check(value)) return undefined
    const [first] = validator.Errors(value)
    return first
      ? `${first.instancePath === '' ? 'the value' : first.instancePath} ${first.message}`
      : 'it is malformed'
  }
}

function validatorOf(schema: TSchema): Validator {
  let validator = validators.get(schema)
  if (!validator) {
    validator = Compile(schema)
    validators.set(schema, validator)
  }
  return validator
}
