import { BadRequest } from '../../lib/errors.ts'

const nameForm = /^[a-z0-9][a-z0-9.+-]{1,199}$/
const versionForm = /^(?:\d{1,9}:)?\d[A-Za-z0-9.+~-]{0,199}$/
const archForm = /^[a-z0-9][a-z0-9-]{1,40}$/
const partForm = /^[A-Za-z0-9][A-Za-z0-9._~+-]{0,99}$/

/** Metadata of a file: its description, without fields about the file itself. */
export interface DebianMetadata {
  readonly architecture: string
  readonly control: string
}

/** A distribution and component of a repository. */
export interface DebianComponent {
  readonly distribution: string
  readonly component: string
}

/** Returns the file key of a distribution and component. Throws `BadRequest` for invalid names. */
export function debianFileKey({ distribution, component }: DebianComponent): string {
  if (!partForm.test(distribution) || !partForm.test(component)) {
    throw new BadRequest('the distribution or the component is invalid', 'debian_place_invalid')
  }
  return `${distribution}|${component}`
}

/** Parses a file key. */
export function componentOfKey(key: string): DebianComponent {
  const [distribution = '', component = ''] = key.split('|')
  return { distribution, component }
}

export const debName = (name: string, version: string, architecture: string): string =>
  `${name}_${version}_${architecture}.deb`.toLowerCase()

/** Returns the architecture in a file name. */
export const architectureOf = (fileName: string): string => /_([^_]+)\.deb$/.exec(fileName)?.[1] ?? ''

/** Returns the package and version in a file name, or undefined. */
export function namedByFile(fileName: string): { readonly name: string; readonly version: string } | undefined {
  const [, name, version] = /^([^_]+)_([^_]+)_[^_]+\.deb$/.exec(fileName) ?? []
  return name === undefined || version === undefined ? undefined : { name, version }
}

/** Fields about the file, which the server sets itself. */
const ownFields = /^(?:filename|size|md5sum|sha1|sha256|sha512):/i

/** Parses the description of a package. Throws `BadRequest`. */
export function debOf(fields: ReadonlyMap<string, string>, text: string) {
  const name = fields.get('package') ?? ''
  const version = fields.get('version') ?? ''
  const architecture = fields.get('architecture') ?? ''
  if (!nameForm.test(name)) throw new BadRequest('the name of the package is invalid', 'package_name_invalid')
  if (!versionForm.test(version)) throw new BadRequest('the version is invalid', 'package_version_invalid')
  if (!archForm.test(architecture)) throw new BadRequest('the architecture is invalid', 'debian_architecture_invalid')
  const lines = text.split(/\r?\n/)
  const end = lines.findIndex((line, index) => index > 0 && line.trim() === '')
  const control = lines
    .slice(0, end < 0 ? undefined : end)
    .filter((line) => !ownFields.test(line))
    .map((line) => line.trimEnd())
    .join('\n')
    .trim()
  return { name, version, metadata: { architecture, control } satisfies DebianMetadata }
}
