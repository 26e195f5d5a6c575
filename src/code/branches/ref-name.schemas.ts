import { Type } from 'typebox'

/** A name that may follow `refs/heads/` by `git check-ref-format`; a leading dash is allowed (contract, valid name). */
const refNamePattern =
  '^(?![./]|@$)(?!.*(?://|\\.\\.|@\\{|/\\.|\\.lock(?:/|$)|[./]$))[^\\u0000-\\u0020\\u007f~^:?*\\[\\\\]*$'

/** An optional branch name; empty counts as missing. */
export const branchName = () => Type.String({ maxLength: 100, pattern: refNamePattern })

/** A required branch name. */
export const requiredBranchName = () => Type.String({ minLength: 1, maxLength: 100, pattern: refNamePattern })
