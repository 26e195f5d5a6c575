import { readBoundedYaml, YamlProblem } from '../../lib/bounded-yaml.ts'
import { BadRequest } from '../../lib/errors.ts'

const maxDepth = 40
/** Largest number of values by schema: a gem, whose description is read as `failsafe`, lists all its files. */
const maxValues = { core: 5000, failsafe: 20_000 } as const

/**
 * Reads a description in YAML.
 * @param schema `failsafe` leaves every value the text that it is
 * @throws BadRequest
 */
export function parseYaml(text: string, schema: 'core' | 'failsafe' = 'core'): unknown {
  try {
    return readBoundedYaml(text, { maxValues: maxValues[schema], maxDepth, schema }).value
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error
    throw new BadRequest(`the description is not valid YAML: ${error.message}`, 'package_yaml_invalid')
  }
}

export { stringify as writeYaml } from 'yaml'
