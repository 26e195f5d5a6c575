import { BadRequest } from '../../lib/errors.ts'

const repositoryForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
const nameForm = /^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,199}$/
const versionForm = /^\d+(?:\.\d+)*[a-z]?(?:_[a-z]+\d*)*(?:~[0-9a-f]+)?(?:-r\d+)?$/
const archForm = /^[a-z0-9_-]{1,40}$/
const maxVersionLength = 100

/** The architecture of packages that run on all architectures. */
export const anyArch = 'noarch'
/** The architecture whose index exists when a repository has only packages for all architectures. */
export const usualArch = 'x86_64'

/** A repository of an owner. */
export interface AlpineRepository {
  readonly branch: string
  readonly repository: string
}

/** Returns the file key of a repository and architecture. Throws `BadRequest` for invalid names. */
export function alpineFileKey({ branch, repository }: AlpineRepository, architecture: string): string {
  if (!repositoryForm.test(branch) || !repositoryForm.test(repository)) {
    throw new BadRequest('the branch or the repository is invalid', 'alpine_place_invalid')
  }
  return `${branch}|${repository}|${architecture}`
}

/** Returns the architecture in a file key of this repository; undefined for other keys. */
export function architectureIn(key: string, location: AlpineRepository): string | undefined {
  const prefix = alpineFileKey(location, '')
  return key.startsWith(prefix) ? key.slice(prefix.length) : undefined
}

export const apkName = (name: string, version: string): string => `${name}-${version}.apk`

/** Returns the package and version in a file name, or undefined. */
export function namedByFile(fileName: string): { readonly name: string; readonly version: string } | undefined {
  const [, name, version] = /^(.+?)-(\d[^-]*(?:-r\d+)?)\.apk$/.exec(fileName) ?? []
  return name === undefined || version === undefined ? undefined : { name, version }
}

/** Metadata of a file: the fields for indexes, and the digest of the control segment. */
export interface AlpineMetadata {
  readonly name: string
  readonly version: string
  readonly checksum: string
  readonly fields: Readonly<Record<string, string>>
}

/** Index fields by the fields of a description. Source: the format of APKINDEX. */
const lines = [
  ['T', 'pkgdesc'],
  ['U', 'url'],
  ['L', 'license'],
  ['I', 'size'],
  ['o', 'origin'],
  ['m', 'maintainer'],
  ['t', 'builddate'],
] as const
/** Index fields that are left out when they are empty. */
const optionalLines = [
  ['k', 'provider_priority'],
  ['D', 'depend'],
  ['i', 'install_if'],
  ['p', 'provides'],
] as const

/** Largest number of lines in a description. */
const maxLines = 20_000

/** Parses the description in a package. Throws `BadRequest`. */
export function apkOf(text: string, checksum: string) {
  const values = new Map<string, string[]>()
  for (const line of text.split('\n', maxLines)) {
    const [, key = '', value = ''] = /^(\w+)\s*=\s*(.*)$/s.exec(line) ?? []
    if (key === '') continue
    // oxlint-disable-next-line no-control-regex -- a field of an index is one line
    const clean = value.replaceAll(/[\u0000-\u001f]+/g, ' ').trim()
    const known = values.get(key)
    if (known) known.push(clean)
    else values.set(key, [clean])
  }
  const first = (key: string): string => values.get(key)?.[0] ?? ''
  const all = (key: string): string => (values.get(key) ?? []).join(' ')
  const [name, version, architecture] = [first('pkgname'), first('pkgver'), first('arch')]
  if (!nameForm.test(name)) throw new BadRequest('the name of the package is invalid', 'package_name_invalid')
  if (!versionForm.test(version) || version.length > maxVersionLength) {
    throw new BadRequest('the version is invalid', 'package_version_invalid')
  }
  if (!archForm.test(architecture)) throw new BadRequest('the architecture is invalid', 'alpine_architecture_invalid')
  const fields = [...lines, ...optionalLines.filter(([, key]) => all(key) !== '')].map(([letter, key]) => [
    letter,
    all(key),
  ])
  const metadata: AlpineMetadata = {
    name,
    version,
    checksum,
    fields: Object.fromEntries(fields) as Record<string, string>,
  }
  return { name, version, architecture, dataSha256: first('datahash'), metadata }
}

/** Returns the index entry of a package for an architecture. */
export function paragraph(
  { name, version, checksum, fields }: AlpineMetadata,
  architecture: string,
  sizeBytes: number,
) {
  const lines = Object.entries({ C: checksum, P: name, V: version, A: architecture, S: sizeBytes, ...fields })
  return `${lines.map(([letter, value]) => `${letter}:${value}`).join('\n')}\n\n`
}
