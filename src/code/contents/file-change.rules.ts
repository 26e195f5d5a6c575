import type { FileEdit } from '../../git/git.ts'
import { Invalid } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { withTrailers } from '../../lib/trailers.ts'
import { subjectOf } from '../commits/message.rules.ts'
import { mayWritePath, resolvePath } from '../tree-path.rules.ts'

const titles: readonly (readonly [FileEdit['operation'], string])[] = [
  ['create', 'Add'],
  ['update', 'Update'],
  ['delete', 'Delete'],
]

/** The default message of a change: a line with all paths per operation. */
export const defaultMessage = (changes: readonly Pick<FileEdit, 'operation' | 'path'>[]): string =>
  titles
    .map(([operation, title]) => {
      const paths = changes.filter((change) => change.operation === operation).map((change) => change.path)
      return paths.length === 0 ? '' : `${title} ${paths.join(', ')}`
    })
    .filter((line) => line !== '')
    .join('\n')

/** The message that git itself gives to a commit that reverts another, or that repeats it (`cherry-pick -x`). */
export function replayMessage(message: string, oid: Oid, isReverse: boolean): string {
  return isReverse
    ? `Revert "${subjectOf(message)}"\n\nThis reverts commit ${oid}.`
    : `${message.trim()}\n\n(cherry picked from commit ${oid})`
}

/** A message with the committer's sign-off and without a final newline (observed). */
export const withSignOff = (message: string, committer: { readonly name: string; readonly email: string }): string =>
  withTrailers(message, [`Signed-off-by: ${committer.name} <${committer.email}>`]).trimEnd()

/** Decodes base64, ignoring line ends; undefined when malformed. */
export function decodeBase64(text: string): Buffer | undefined {
  const compact = text.replace(/[\r\n]/g, '')
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) return undefined
  return Buffer.from(compact, 'base64')
}

/** Whether a text is a file operation. */
export const isFileOperation = (text: string): text is FileEdit['operation'] =>
  titles.some(([operation]) => operation === text)

/** Returns a sent path as it is written. Throws `Invalid` for one that may not be written. */
export function writablePath(field: string, sent: string): string {
  const path = resolvePath(sent)
  const verdict = mayWritePath(path)
  if (!verdict.allowed) throw new Invalid(`[${field}]: ${verdict.reason}`, verdict.code)
  return path
}
