import { BadRequest } from '../../lib/errors.ts'
import { parsePackageJson } from '../registry/json-text.rules.ts'

/** Metadata of a file: its index entry. */
export interface CondaMetadata {
  readonly subdir: string
  readonly build: string
  readonly build_number: number
  readonly depends: readonly string[]
  readonly constrains?: readonly string[]
  readonly license: string
  readonly license_family: string
  /** `python`, `generic`, or empty. */
  readonly noarch: string
  readonly track_features?: string
  /** Time of the build in milliseconds. */
  readonly timestamp?: number
}

const nameForm = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/
const versionForm = /^[A-Za-z0-9_.!+]{1,100}$/
const buildForm = /^[A-Za-z0-9_.+]{1,100}$/
const subdirForm = /^[a-z0-9]{1,20}(?:-[a-z0-9]{1,20})?$/
const channelForm = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}(?:\/[A-Za-z0-9][A-Za-z0-9_.-]{0,99}){0,7}$/

/** Largest number of dependencies, and longest one in characters. */
const maxDependencies = 2000
const maxDependencyLength = 1000

export type Ending = 'tar.bz2' | 'conda'

/** Returns the ending of an archive's name; undefined for other names. */
export const endingOf = (fileName: string): Ending | undefined =>
  fileName.endsWith('.tar.bz2') ? 'tar.bz2' : fileName.endsWith('.conda') ? 'conda' : undefined

/** Throws `BadRequest` for an invalid channel; the empty channel is valid. */
export function checkChannel(channel: string): void {
  if (channel !== '' && !channelForm.test(channel)) {
    throw new BadRequest('the channel is invalid', 'conda_channel_invalid')
  }
}

/** Returns the stored package name, which includes the channel. */
export const packageNameOf = (channel: string, name: string): string => (channel === '' ? name : `${channel}/${name}`)

export const condaFileName = (name: string, version: string, build: string, ending: Ending): string =>
  `${name}-${version}-${build}.${ending}`

/** Returns the package name and version in a file name; undefined for other names. */
export function packageOfFileName(fileName: string): { readonly name: string; readonly version: string } | undefined {
  const [, name, version] = /^(.+)-([^-]+)-[^-]+\.(?:tar\.bz2|conda)$/.exec(fileName) ?? []
  return name === undefined || version === undefined ? undefined : { name, version }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, maxDependencyLength) : '')

function textsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return []
  if (
    value.length > maxDependencies ||
    value.some((each) => typeof each !== 'string' || each.length > maxDependencyLength)
  ) {
    throw new BadRequest('the dependencies are invalid', 'conda_dependencies_invalid')
  }
  return value as readonly string[]
}

/** Parses the description of a package (`info/index.json`). Throws `BadRequest`. */
export function readIndex(text: string) {
  const index = parsePackageJson(text, 'conda_description_invalid')
  const about = (typeof index === 'object' && index !== null ? index : {}) as Readonly<Record<string, unknown>>
  const [name, version, build] = [textOf(about['name']), textOf(about['version']), textOf(about['build'])]
  // Old packages for all platforms have `platform` and `arch` instead of `subdir`.
  const noarch = about['noarch'] === true ? 'generic' : textOf(about['noarch'])
  const subdir = textOf(about['subdir']) || (noarch === '' ? '' : 'noarch')
  if (!nameForm.test(name)) throw new BadRequest('the name of the package is invalid', 'package_name_invalid')
  if (!versionForm.test(version)) throw new BadRequest('the version is invalid', 'package_version_invalid')
  if (!buildForm.test(build)) throw new BadRequest('the build is invalid', 'conda_build_invalid')
  if (!subdirForm.test(subdir)) throw new BadRequest('the platform is invalid', 'conda_platform_invalid')
  const number = about['build_number']
  const { timestamp } = about
  const constrains = textsOf(about['constrains'])
  const features = textOf(about['track_features'])
  const metadata: CondaMetadata = {
    subdir,
    build,
    build_number: typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : 0,
    depends: textsOf(about['depends']),
    ...(constrains.length > 0 ? { constrains } : {}),
    license: textOf(about['license']),
    license_family: textOf(about['license_family']),
    noarch,
    ...(features === '' ? {} : { track_features: features }),
    ...(typeof timestamp === 'number' && Number.isSafeInteger(timestamp) && timestamp > 0 ? { timestamp } : {}),
  }
  return { name, version, metadata }
}
