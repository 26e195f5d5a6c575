import { allow, deny, type Verdict } from '../lib/verdict.ts'

/** Most characters of a name. */
const maxNameLength = 255

/** Names that workflows are given by the forge itself begin so. */
const reservedStarts = ['GITEA_', 'GITHUB_']

function mayName(name: string, reserved: readonly string[]): Verdict {
  if (name.length > maxNameLength) return deny(`a name has at most ${maxNameLength} characters`)
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return deny('a name has letters, digits and underscores, and does not begin with a digit')
  }
  const upper = name.toUpperCase()
  const start = reserved.find((each) => upper.startsWith(each))
  return start === undefined ? allow : deny(`names beginning with ${start} are reserved`)
}

/** Whether a secret may be called so (contract, actions: secrets and variables). */
export const mayNameSecret = (name: string): Verdict => mayName(name, reservedStarts)

/** Whether a variable may be called so; whatever begins with CI is taken as well. */
export const mayNameVariable = (name: string): Verdict => mayName(name, [...reservedStarts, 'CI'])
