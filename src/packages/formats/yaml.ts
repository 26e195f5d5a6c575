import { readBoundedYaml, YamlProblem } from '../../lib/bounded-yaml.ts'
import { BadRequest } from '../../lib/errors.ts'

/** A description of a package lists its files, so it may have many values. */
const limits = { maxValues: 20_000, maxDepth: 40 }

/**
 * Reads a description in YAML.
 * @param schema `failsafe` leaves every value the text that it is
 * @throws BadRequest
 */
export function parseYaml(text: string, schema: 'core' | 'failsafe' = 'core'): unknown {
  try {
    return readBoundedYaml(text, { ...limits, schema }).value
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error
    throw new BadRequest(`the description is not valid YAML: ${error.message}`, 'package_yaml_invalid')
  }
}

export { stringify as writeYaml } from 'yaml'
