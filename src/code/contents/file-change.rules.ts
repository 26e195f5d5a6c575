import type { FileEdit } from '../../git/git.ts'
import { withTrailers } from '../../lib/trailers.ts'

const titles: readonly (readonly [FileEdit['operation'], string])[] = [
  ['create', 'Add'],
  ['update', 'Update'],
  ['delete', 'Delete'],
]

/** The message of a change that has none: a line for each kind of change, with all its paths. */
export const defaultMessage = (changes: readonly Pick<FileEdit, 'operation' | 'path'>[]): string =>
  titles
    .map(([operation, title]) => {
      const paths = changes.filter((change) => change.operation === operation).map((change) => change.path)
      return paths.length === 0 ? '' : `${title} ${paths.join(', ')}`
    })
    .filter((line) => line !== '')
    .join('\n')

/** A message that ends with the committer's sign-off, without a newline after it (observed). */
export const withSignOff = (message: string, committer: { readonly name: string; readonly email: string }): string =>
  withTrailers(message, [`Signed-off-by: ${committer.name} <${committer.email}>`]).trimEnd()

/** Bytes of base64 text (line ends do not count), or undefined when it is none. */
export function decodeBase64(text: string): Buffer | undefined {
  const compact = text.replace(/[\r\n]/g, '')
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) return undefined
  return Buffer.from(compact, 'base64')
}

/** Whether a text names something that can be done to a file. */
export const isFileOperation = (text: string): text is FileEdit['operation'] =>
  titles.some(([operation]) => operation === text)
