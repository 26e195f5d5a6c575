import { parse } from 'yaml'
import { BadRequest } from '../../lib/errors.ts'

/** Most times that a part of a text may stand in for another. */
const maxAliasCount = 50

/** Reads a description in YAML. Throws `BadRequest`. */
export function parseYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount, prettyErrors: false, logLevel: 'silent' }) as unknown
  } catch {
    throw new BadRequest('the description is no YAML that can be read', 'package_yaml_invalid')
  }
}

export { stringify as writeYaml } from 'yaml'
