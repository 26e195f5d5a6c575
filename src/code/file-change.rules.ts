import { allow, deny, type Verdict } from '../lib/verdict.ts'

/** What is done to one file. */
export type FileOperation = 'create' | 'update' | 'delete'

/** One file of a change, with its path resolved and allowed. */
export interface FileChangeInput {
  readonly operation: FileOperation
  readonly path: string
  /** An update that moves the file: where it is now. */
  readonly fromPath?: string
  readonly content: Buffer
  /** What the file must be now; unchecked when absent. */
  readonly sha?: string
}

const titles: readonly (readonly [FileOperation, string])[] = [
  ['create', 'Add'],
  ['update', 'Update'],
  ['delete', 'Delete'],
]

/** The message of a change that has none: a line for each kind of change, with all its paths. */
export const defaultMessage = (changes: readonly Pick<FileChangeInput, 'operation' | 'path'>[]): string =>
  titles
    .map(([operation, title]) => {
      const paths = changes.filter((change) => change.operation === operation).map((change) => change.path)
      return paths.length === 0 ? '' : `${title} ${paths.join(', ')}`
    })
    .filter((line) => line !== '')
    .join('\n')

/** A message with the committer's sign-off at its end, in a paragraph with other trailers. */
export function withSignOff(message: string, committer: { readonly name: string; readonly email: string }): string {
  const line = `Signed-off-by: ${committer.name} <${committer.email}>`
  const lines = message.split('\n')
  if (lines.includes(line)) return message
  const lastLine = lines.at(-1) ?? ''
  return `${message}${/^[\w-]+: \S/.test(lastLine) && lines.length > 1 ? '\n' : '\n\n'}${line}`
}

/** Bytes of base64 text (line ends do not count), or undefined when it is none. */
export function decodeBase64(text: string): Buffer | undefined {
  const compact = text.replace(/[\r\n]/g, '')
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) return undefined
  return Buffer.from(compact, 'base64')
}

/** Whether the operation is one there is. */
export const mayOperate = (operation: string): Verdict =>
  titles.some(([known]) => known === operation) ? allow : deny(`${operation} is no known operation`)
