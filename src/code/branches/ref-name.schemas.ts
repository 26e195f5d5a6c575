import { Type } from 'typebox'

/** The rules of `git check-ref-format` for what follows `refs/heads/`; a leading dash is accepted (the contract's "valid name"). */
const refNamePattern =
  '^(?![./]|@$)(?!.*(?://|\\.\\.|@\\{|/\\.|\\.lock(?:/|$)|[./]$))[^\\u0000-\\u0020\\u007f~^:?*\\[\\\\]*$'

/** Name of a branch in a request; an empty one counts as absent. */
export const branchName = () => Type.String({ maxLength: 100, pattern: refNamePattern })

/** Name of a branch that must be given. */
export const requiredBranchName = () => Type.String({ minLength: 1, maxLength: 100, pattern: refNamePattern })
