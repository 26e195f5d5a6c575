import { BadRequest, NotFound } from '../../lib/errors.ts'
import type { RpmPackage } from '../formats/rpm.ts'

const nameForm = /^[A-Za-z0-9._+~^-]{1,200}$/
const versionForm = /^[A-Za-z0-9._+~^]{1,100}$/
const archForm = /^[a-z0-9_]{1,40}$/i
const groupForm = /^[A-Za-z0-9_][A-Za-z0-9._~+-]*(?:\/[A-Za-z0-9_][A-Za-z0-9._~+-]*)*$/
const maxGroupLength = 200

/** Throws `BadRequest` for an invalid group; the empty group is valid. */
export function checkedGroup(group = ''): string {
  if (group !== '' && (!groupForm.test(group) || group.length > maxGroupLength)) {
    throw new BadRequest('the group is invalid', 'rpm_group_invalid')
  }
  return group
}

/** Returns the version of a package with its release and epoch. */
export const versionOf = ({ epoch, version, release }: Pick<RpmPackage, 'epoch' | 'version' | 'release'>): string =>
  `${epoch > 0 ? `${epoch}-` : ''}${version}-${release}`

export const rpmFileName = (name: string, version: string, architecture: string): string =>
  `${name}-${version}.${architecture}.rpm`

/** Throws `BadRequest` for invalid names in a package. */
export function checkNames({ name, version, release, architecture }: RpmPackage): void {
  if (!nameForm.test(name)) throw new BadRequest('the name of the package is invalid', 'package_name_invalid')
  if (!versionForm.test(version) || !versionForm.test(release)) {
    throw new BadRequest('the version is invalid', 'package_version_invalid')
  }
  if (!archForm.test(architecture)) throw new BadRequest('the architecture is invalid', 'rpm_architecture_invalid')
}

/** The names of a package in a path. */
export interface NamedRpm {
  readonly group: string
  readonly name: string
  readonly version: string
  readonly architecture: string
}

const packageForm = /^(?:(.+)\/)?package\/([^/]+)\/([^/]+)\/([^/]+)(?:\/[^/]+)?$/

/** The meaning of a path below the registry. */
export type RpmPath =
  | { readonly kind: 'settings'; readonly group: string }
  | { readonly kind: 'index'; readonly group: string; readonly file: string }
  | ({ readonly kind: 'package' } & NamedRpm)

/** Parses a path below the registry. Throws `NotFound`. */
export function rpmPathOf(path: string): RpmPath {
  const [isPackage, group, name = '', version = '', architecture = ''] = packageForm.exec(path) ?? []
  if (isPackage !== undefined) return { kind: 'package', group: checkedGroup(group), name, version, architecture }
  const [isIndex, indexGroup, file = ''] = /^(?:(.+)\/)?repodata\/([^/]+)$/.exec(path) ?? []
  if (isIndex !== undefined) return { kind: 'index', group: checkedGroup(indexGroup), file }
  const [isSettings, settingsGroup] = /^(.+)\.repo$/.exec(path) ?? []
  if (isSettings !== undefined) return { kind: 'settings', group: checkedGroup(settingsGroup) }
  throw new NotFound('the path does not exist', 'package_file_not_found')
}

/** Returns the group of an upload path. Throws `NotFound` for other paths. */
export function groupOfUpload(path: string): string {
  const [isUpload, group] = /^(?:(.+)\/)?upload$/s.exec(path) ?? []
  if (isUpload === undefined) throw new NotFound('the path does not exist', 'package_file_not_found')
  return checkedGroup(group)
}
