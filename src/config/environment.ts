import { readSmallFile } from './small-file.ts'
import { trimTrailing } from '../lib/trim-ends.ts'

/** A setting from the environment. */
export interface EnvironmentEntry {
  /** The variable name, for messages. */
  readonly variable: string
  readonly section: string
  readonly key: string
  readonly value: string
  /** False for the content of a `__FILE` file: secrets are not interpolated. */
  readonly isInterpolated: boolean
}

export interface EnvironmentProblem {
  readonly variable: string
  readonly reason: string
}

/** A later prefix overrides an earlier one. */
const prefixes = ['GITEA', 'FORGEJO', 'INGOT']

/** `_0X2E_` encodes a dot, `_0X2D_` a dash. Other bytes can be encoded in the same form. */
const decodeName = (name: string): string =>
  name.replace(/_0X((?:[0-9A-F]{2})+)_/gi, (_, hex: string) => Buffer.from(hex, 'hex').toString('utf8'))

/**
 * Matches `INGOT__section__KEY`, `FORGEJO__…` and `GITEA__…`. An empty section (`INGOT____APP_NAME`) or `DEFAULT` means
 * the top-level keys. With the suffix `__FILE` the value is the content of a file, without trailing line ends.
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): {
  readonly entries: readonly EnvironmentEntry[]
  readonly problems: readonly EnvironmentProblem[]
} {
  const entries: EnvironmentEntry[] = []
  const problems: EnvironmentProblem[] = []
  for (const prefix of prefixes) {
    for (const variable of Object.keys(env)
      .filter((name) => name.startsWith(`${prefix}__`))
      .sort()) {
      const value = env[variable]
      if (value === undefined) continue
      const match = /^__(.*?)__(.+?)(__FILE)?$/.exec(variable.slice(prefix.length))
      if (match === null) {
        problems.push({ variable, reason: `does not have the form ${prefix}__section__KEY` })
        continue
      }
      const name = decodeName(match[1] ?? '')
      const section = name.toUpperCase() === 'DEFAULT' ? '' : name.toLowerCase()
      const key = decodeName(match[2] ?? '')
      if (match[3] === undefined) {
        entries.push({ variable, section, key, value, isInterpolated: true })
        continue
      }
      const file = readSmallFile(value)
      if (file.ok) {
        entries.push({ variable, section, key, value: trimTrailing(file.text, '\r\n'), isInterpolated: false })
      } else problems.push({ variable, reason: `${value}: ${file.reason}` })
    }
  }
  return { entries, problems }
}
