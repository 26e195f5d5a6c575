import { readFile } from 'node:fs/promises'
import type { Config } from '../config/load-config.ts'

/**
 * The public half of the key that the instance signs commits with, as text.
 * @returns undefined when the instance signs with no key of that format
 */
export async function readPublicSigningKey(config: Config, format: 'openpgp' | 'ssh'): Promise<string | undefined> {
  const { signingKey, format: configured } = config.repositorySigning
  if (configured !== format || signingKey === '' || signingKey === 'none' || signingKey === 'default') return undefined
  // An SSH key is named by its file, and its public half lies beside it under the usual name.
  if (format === 'ssh') return readFile(signingKey.endsWith('.pub') ? signingKey : `${signingKey}.pub`, 'utf8')
  return undefined
}
