import { BadRequest } from '../../lib/errors.ts'

const nameForm = /^[A-Za-z][A-Za-z0-9.]{0,198}[A-Za-z0-9]$/
const versionForm = /^\d{1,9}(?:[.-]\d{1,9}){1,20}$/
const partForm = /^[A-Za-z0-9][A-Za-z0-9._+/-]{0,99}$/

/** The fields of an index entry, in order. */
const shownFields = ['Depends', 'Imports', 'LinkingTo', 'Suggests', 'License', 'NeedsCompilation'] as const

/** Metadata of a file. */
export interface CranMetadata {
  readonly fields: Readonly<Partial<Record<(typeof shownFields)[number], string>>>
}

/** Parses the description of a package. Throws `BadRequest`. */
export function cranPackageOf(fields: ReadonlyMap<string, string>) {
  const name = fields.get('package') ?? ''
  const version = fields.get('version') ?? ''
  if (!nameForm.test(name)) throw new BadRequest('the name of the package is invalid', 'package_name_invalid')
  if (!versionForm.test(version)) throw new BadRequest('the version is invalid', 'package_version_invalid')
  const shown = shownFields.flatMap((field) => {
    const value = fields.get(field.toLowerCase())?.replaceAll(/\s+/g, ' ').trim() ?? ''
    if (value === '' && field !== 'NeedsCompilation') return []
    return [[field, field === 'NeedsCompilation' && value !== 'yes' ? 'no' : value]]
  })
  return { name, version, metadata: { fields: Object.fromEntries(shown) as CranMetadata['fields'] } }
}

/** Returns the file key of a source package, or of a binary for a platform and R version. Throws `BadRequest`. */
export function cranKey(binary: { readonly platform: string; readonly rversion: string } | undefined): string {
  if (!binary) return 'src'
  if (!partForm.test(binary.platform) || !partForm.test(binary.rversion) || binary.platform.includes('..')) {
    throw new BadRequest('the platform and the version of R are needed', 'cran_platform_invalid')
  }
  return `bin|${binary.platform}|${binary.rversion}`
}

/** Orders versions by their numbers. */
export function compareCran(one: string, other: string): number {
  const [left, right] = [one.split(/[.-]/).map(Number), other.split(/[.-]/).map(Number)]
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? -1) - (right[index] ?? -1)
    if (difference !== 0) return difference
  }
  return 0
}

/** Returns an index entry. */
export function cranParagraph(name: string, version: string, { fields }: CranMetadata, md5: string): string {
  const shown = shownFields.flatMap((field) => (fields[field] === undefined ? [] : [`${field}: ${fields[field]}`]))
  return [`Package: ${name}`, `Version: ${version}`, ...shown, `MD5sum: ${md5}`, ''].join('\n')
}
