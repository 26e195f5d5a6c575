import { readBoundedYaml, YamlProblem } from '../../lib/bounded-yaml.ts'
import { BadRequest } from '../../lib/errors.ts'

const maxDepth = 40
/** Largest number of values by schema. The description of a gem, read as `failsafe`, lists all of its files. */
const maxValues = { core: 5000, failsafe: 20_000 } as const

/**
 * Parses a description in YAML.
 * @param schema `failsafe` keeps every value as text
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
