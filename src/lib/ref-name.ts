/** Characters that git forbids anywhere in a reference name (git-check-ref-format, rules 4 and 5). */
// oxlint-disable-next-line no-control-regex -- control characters are exactly what the rule is about
const forbiddenCharacter = /[\u0000-\u0020\u007f~^:?*[\\]/

/** Longest reference name, in bytes, and longest component: a file name with room for `.lock`. */
const maxRefNameBytes = 1024
const maxComponentBytes = 250

/**
 * Whether `name` is a complete reference name such as `refs/heads/main` by the rules of `git check-ref-format`. `HEAD`
 * and other one-level names are not.
 */
export function isValidRefName(name: string): boolean {
  return name.startsWith('refs/') && name.indexOf('/', 5) !== -1 && isWellFormed(name)
}

/**
 * Whether `name` may follow `refs/heads/`. A leading `-` is allowed (contract, git: valid name): callers never put a
 * branch name on a command line.
 */
export function isValidBranchName(name: string): boolean {
  return name !== 'HEAD' && name !== '@' && isWellFormed(`refs/heads/${name}`)
}

/** Whether `name` may follow `refs/tags/`. */
export function isValidTagName(name: string): boolean {
  return name !== 'HEAD' && name !== '@' && isWellFormed(`refs/tags/${name}`)
}

function isWellFormed(name: string): boolean {
  if (Buffer.byteLength(name) > maxRefNameBytes || !name.isWellFormed()) return false
  if (forbiddenCharacter.test(name) || name.includes('..') || name.includes('@{') || name.endsWith('.')) return false
  return name
    .split('/')
    .every(
      (part) =>
        part !== '' && !part.startsWith('.') && !part.endsWith('.lock') && Buffer.byteLength(part) <= maxComponentBytes,
    )
}
