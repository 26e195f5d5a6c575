import { allow, deny, type Verdict } from '../lib/verdict.ts'

/** Largest number of characters in a repository's name. */
export const maxRepoNameLength = 100

const reservedNames = new Set(['.', '..', '-'])
const reservedEndings = ['.git', '.wiki', '.rss', '.atom']

/** Returns whether a repository may have a name. Source: contract, repositories: names. */
export function mayNameRepo(name: string): Verdict {
  if (name.length === 0 || name.length > maxRepoNameLength) {
    return deny('name_invalid', `a name has 1 to ${maxRepoNameLength} characters`)
  }
  if (!/^[A-Za-z0-9_.-]+$/.test(name)) return deny('name_invalid', 'a name has letters, digits, - _ and .')
  const lower = name.toLowerCase()
  if (reservedNames.has(lower)) return deny('name_invalid', `the name ${name} is reserved`)
  const ending = reservedEndings.find((each) => lower.endsWith(each))
  return ending ? deny('name_invalid', `names ending with ${ending} are reserved`) : allow
}
