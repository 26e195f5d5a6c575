import { parse } from 'yaml'
import { BadRequest } from '../../lib/errors.ts'

/** Most times that a part of a text may stand in for another. */
const maxAliasCount = 50

/**
 * Reads a description in YAML. Throws `BadRequest`.
 * @param schema `failsafe` leaves every value the text that it is
 */
export function parseYaml(text: string, schema: 'core' | 'failsafe' = 'core'): unknown {
  try {
    return parse(text, { maxAliasCount, prettyErrors: false, logLevel: 'silent', schema }) as unknown
  } catch {
    throw new BadRequest('the description is no YAML that can be read', 'package_yaml_invalid')
  }
}

export { stringify as writeYaml } from 'yaml'
