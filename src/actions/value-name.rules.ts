import { allow, deny, type Verdict } from '../lib/verdict.ts'

/** Longest name, in characters. */
const maxNameLength = 255

/** The prefixes of variables that the server and the runner set. */
const reservedPrefixes = ['GITEA_', 'GITHUB_']

function mayName(name: string, reserved: readonly string[]): Verdict {
  if (name.length > maxNameLength) return deny('name_invalid', `a name has at most ${maxNameLength} characters`)
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return deny('name_invalid', 'a name consists of letters, digits and underscores, and does not begin with a digit')
  }
  const upper = name.toUpperCase()
  const prefix = reserved.find((each) => upper.startsWith(each))
  return prefix === undefined ? allow : deny('name_invalid', `names that begin with ${prefix} are reserved`)
}

/** Checks the name of a secret (contract, actions: secrets and variables). */
export const mayNameSecret = (name: string): Verdict => mayName(name, reservedPrefixes)

/** Checks the name of a variable. Names that begin with CI are reserved, too. */
export const mayNameVariable = (name: string): Verdict => mayName(name, [...reservedPrefixes, 'CI'])
