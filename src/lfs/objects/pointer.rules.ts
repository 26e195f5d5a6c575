/** A parsed LFS pointer. */
export interface Pointer {
  /** SHA-256 in lower-case hexadecimal. */
  readonly oid: string
  readonly sizeBytes: number
}

/** Largest pointer in bytes (specification of LFS pointers). */
export const maxPointerBytes = 1024

const oidForm = /^[0-9a-f]{64}$/

/** Returns whether a text is an object id: 64 lower-case hexadecimal digits. */
export const isObjectId = (text: string): boolean => oidForm.test(text)

/** Returns whether a number can be the size of an object in bytes. */
export const isObjectSize = (size: number): boolean => Number.isSafeInteger(size) && size >= 0

const versions = [
  'version https://git-lfs.github.com/spec/v1',
  // Versions of LFS before 1.0.
  'version http://git-media.io/v/2',
  'version https://hawser.github.com/spec/v1',
]

/**
 * Parses a pointer: lines of `key value`, the version first. Returns undefined for other files, most of which the first
 * bytes exclude.
 */
export function parsePointer(content: Buffer): Pointer | undefined {
  if (content.length > maxPointerBytes || content.length < 64) return undefined
  if (content.toString('latin1', 0, 8) !== 'version ') return undefined
  const [version = '', ...lines] = content.toString('utf8').split(/\r?\n/)
  if (!versions.includes(version.trimEnd())) return undefined
  const values = new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]))
  const oid = /^sha256:([0-9a-f]{64})$/.exec(values.get('oid')?.trimEnd() ?? '')?.[1]
  const size = /^\d{1,16}$/.exec(values.get('size')?.trimEnd() ?? '')?.[0]
  if (oid === undefined || size === undefined || !isObjectSize(Number(size))) return undefined
  return { oid, sizeBytes: Number(size) }
}

/** Returns the pointer in the usual form. */
export const formatPointer = ({ oid, sizeBytes }: Pointer): Buffer =>
  Buffer.from(`version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${sizeBytes}\n`)
