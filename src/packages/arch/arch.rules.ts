import { BadRequest } from '../../lib/errors.ts'

const nameForm = /^[A-Za-z0-9@_+][A-Za-z0-9@._+-]{0,127}$/
const versionForm = /^(?:\d{1,9}:)?[A-Za-z0-9._+~^]{1,127}-\d{1,9}(?:\.\d{1,9})?$/
const archForm = /^[A-Za-z0-9_]{1,40}$/
const groupForm = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}(?:\/[A-Za-z0-9][A-Za-z0-9._+-]{0,99}){0,7}$/

/** The architecture of packages that run on all architectures. */
export const anyArch = 'any'

/** Largest number of lines in a description, and longest line in characters. */
const maxLines = 10_000
const maxLineLength = 4096

/** Metadata of a file: its architecture, and its packed part of an index in base64. */
export interface ArchMetadata {
  readonly architecture: string
  readonly part: string
}

/** The description of a package. */
export interface ArchPackage {
  readonly name: string
  readonly version: string
  readonly architecture: string
  /** Values by field name; a field may have several. */
  readonly fields: ReadonlyMap<string, readonly string[]>
}

/** Throws `BadRequest` for an invalid group; the empty group is valid. */
export function checkGroup(group: string): void {
  if (group !== '' && !groupForm.test(group)) {
    throw new BadRequest('the group of packages is invalid', 'arch_group_invalid')
  }
}

/** Parses the description in a package (`.PKGINFO`). Throws `BadRequest`. */
export function readPackageInfo(text: string): ArchPackage {
  const fields = new Map<string, string[]>()
  const lines = text.split('\n')
  if (lines.length > maxLines) throw new BadRequest('the description has too many lines', 'arch_description_invalid')
  for (const line of lines) {
    const at = line.indexOf(' = ')
    if (line.startsWith('#') || at <= 0 || line.length > maxLineLength) continue
    // oxlint-disable-next-line no-control-regex -- that is what is taken out
    const value = line
      .slice(at + 3)
      .replaceAll(/[\u0000-\u001f\u007f]/g, '')
      .trim()
    const key = line.slice(0, at).trim()
    if (value !== '') fields.set(key, [...(fields.get(key) ?? []), value])
  }
  const one = (key: string) => fields.get(key)?.[0] ?? ''
  const [name, version, architecture] = [one('pkgname'), one('pkgver'), one('arch')]
  if (!nameForm.test(name)) throw new BadRequest('the name of the package is invalid', 'package_name_invalid')
  if (!versionForm.test(version)) throw new BadRequest('the version is invalid', 'package_version_invalid')
  if (!archForm.test(architecture)) throw new BadRequest('the architecture is invalid', 'arch_architecture_invalid')
  return { name, version, architecture, fields }
}

export const archFileName = ({ name, version, architecture }: Omit<ArchPackage, 'fields'>, ending: string): string =>
  `${name}-${version}-${architecture}.pkg.tar.${ending}`

/** Returns the package of a file name with or without `.sig`; undefined for other names. */
export function packageOfFileName(fileName: string): Omit<ArchPackage, 'fields'> | undefined {
  const [, name, version, architecture] =
    /^(.+)-([^-]+-[^-]+)-([^-]+)\.pkg\.tar\.(?:gz|xz|zst)(?:\.sig)?$/.exec(fileName) ?? []
  return name === undefined || version === undefined || architecture === undefined
    ? undefined
    : { name, version, architecture }
}

/** Returns whether a file is the package and not its signature. */
export const isArchive = ({ name }: { readonly name: string }): boolean => !name.endsWith('.sig')

/** The file data in an index entry. */
export interface ArchFile {
  readonly fileName: string
  readonly sizeBytes: number
  readonly md5: string
  readonly sha256: string
  /** In base64. */
  readonly signature: string
}

/** Returns an index entry in the form of `repo-add`. */
export function describePackage({ name, version, architecture, fields }: ArchPackage, file: ArchFile): string {
  const of = (key: string) => fields.get(key) ?? []
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['FILENAME', [file.fileName]],
    ['NAME', [name]],
    ['BASE', of('pkgbase').slice(0, 1)],
    ['VERSION', [version]],
    ['DESC', of('pkgdesc').slice(0, 1)],
    ['GROUPS', of('group')],
    ['CSIZE', [String(file.sizeBytes)]],
    ['ISIZE', of('size').slice(0, 1)],
    ['MD5SUM', [file.md5]],
    ['SHA256SUM', [file.sha256]],
    ['PGPSIG', [file.signature]],
    ['URL', of('url').slice(0, 1)],
    ['LICENSE', of('license')],
    ['ARCH', [architecture]],
    ['BUILDDATE', of('builddate').slice(0, 1)],
    ['PACKAGER', of('packager').slice(0, 1)],
    ['REPLACES', of('replaces')],
    ['CONFLICTS', of('conflict')],
    ['PROVIDES', of('provides')],
    ['DEPENDS', of('depend')],
    ['OPTDEPENDS', of('optdepend')],
    ['MAKEDEPENDS', of('makedepend')],
    ['CHECKDEPENDS', of('checkdepend')],
  ]
  return parts.flatMap(([key, values]) => (values.length > 0 ? [`%${key}%\n${values.join('\n')}\n\n`] : [])).join('')
}

const isDigit = (text: string): boolean => /^\d/.test(text)

/** Compares two decimal numbers of any length. */
function compareNumbers(one: string, other: string): number {
  const [left, right] = [one.replace(/^0+/, ''), other.replace(/^0+/, '')]
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0)
}

/** Compares parts of versions like pacman: segment by segment, numbers by value, numbers after letters. */
function compareParts(one: string, other: string): number {
  const segments = (text: string) => [...text.matchAll(/([^A-Za-z0-9]*)(\d+|[A-Za-z]+)/g)]
  const [left, right] = [segments(one), segments(other)]
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const [, ownMark = '', own = ''] = left[index] ?? []
    const [, otherMark = '', others = ''] = right[index] ?? []
    // Trailing letters make a version older (1.0rc), any other rest makes it newer (1.0.1).
    if (own === '') return isDigit(others) || otherMark !== '' ? -1 : 1
    if (others === '') return isDigit(own) || ownMark !== '' ? 1 : -1
    if (ownMark.length !== otherMark.length) return ownMark.length - otherMark.length
    if (isDigit(own) !== isDigit(others)) return isDigit(own) ? 1 : -1
    const order = isDigit(own) ? compareNumbers(own, others) : own < others ? -1 : own > others ? 1 : 0
    if (order !== 0) return order
  }
  return 0
}

/** Compares two versions `[epoch:]version-release` like pacman. */
export function compareArchVersions(one: string, other: string): number {
  const partsOf = (text: string) => {
    const [, epoch = '0', version = '', release = ''] = /^(?:(\d+):)?(.*?)(?:-([^-]*))?$/.exec(text) ?? []
    return { epoch, version, release }
  }
  const [left, right] = [partsOf(one), partsOf(other)]
  return (
    compareNumbers(left.epoch, right.epoch) ||
    compareParts(left.version, right.version) ||
    (left.release === '' || right.release === '' ? 0 : compareParts(left.release, right.release))
  )
}
