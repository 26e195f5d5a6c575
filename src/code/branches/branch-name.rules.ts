import { isValidBranchName } from '../../lib/ref-name.ts'
import { Invalid } from '../../lib/errors.ts'

/** Longest name of a branch, in characters. */
const maxLength = 100

/** Throws `Invalid` for a text that cannot name a branch. */
export function checkBranchName(name: string): void {
  if (name === '') throw new Invalid('enter a name for the branch', 'branch_name_invalid')
  if (name.length > maxLength) {
    throw new Invalid(`a branch name has at most ${maxLength} characters`, 'branch_name_invalid')
  }
  if (!isValidBranchName(name)) throw new Invalid(`${name} is not a valid branch name`, 'branch_name_invalid')
}
