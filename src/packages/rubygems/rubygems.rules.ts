import { BadRequest } from '../../lib/errors.ts'
import type { Marshalled } from './marshal.rules.ts'

const nameForm = /^[A-Za-z0-9._-]{1,200}$/
const versionForm = /^\d+(?:\.[0-9A-Za-z]+)*(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/
const platformForm = /^[A-Za-z0-9._-]{1,100}$/
const maxVersionLength = 100
const maxTextLength = 64_000
const maxEntries = 500
/** The platform of gems that run on all platforms. */
const anyPlatform = 'ruby'

/** Version requirements, such as `>= 1.0`. */
export type Requirements = readonly string[]

/** Metadata of a gem. */
export interface GemMetadata {
  readonly platform: string
  readonly summary: string
  readonly description: string
  readonly homepage: string
  readonly authors: readonly string[]
  readonly licenses: readonly string[]
  readonly ruby: Requirements
  readonly rubygems: Requirements
  readonly dependencies: readonly { readonly name: string; readonly requirements: Requirements }[]
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, maxEntries) : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, maxTextLength) : '')
const textsOf = (value: unknown): string[] =>
  listOf(value)
    .map(textOf)
    .filter((text) => text !== '')

const conditionForm = /^(?:=|!=|>|<|>=|<=|~>)$/

function requirementsOf(value: unknown): Requirements {
  return listOf(fieldsOf(value)['requirements']).map((pair) => {
    const [condition, version] = listOf(pair)
    const text = textOf(fieldsOf(version)['version'])
    if (!conditionForm.test(textOf(condition)) || !versionForm.test(text)) throw invalid('a requirement')
    return `${textOf(condition)} ${text}`
  })
}

const invalid = (what: string) => new BadRequest(`${what} of the gem is invalid`, 'gem_invalid')

/** Parses the description of a gem, in which all values are text. Throws `BadRequest`. */
export function gemOf(description: unknown) {
  const fields = fieldsOf(description)
  const name = textOf(fields['name'])
  const version = textOf(fieldsOf(fields['version'])['version'])
  const platform = textOf(fields['platform']) || anyPlatform
  if (!nameForm.test(name) || /^[._-]+$/.test(name)) {
    throw new BadRequest('the name of the gem is invalid', 'package_name_invalid')
  }
  if (!versionForm.test(version) || version.length > maxVersionLength) {
    throw new BadRequest('the version is invalid', 'package_version_invalid')
  }
  if (!platformForm.test(platform)) throw invalid('the platform')
  const dependencies = listOf(fields['dependencies']).flatMap((each) => {
    const dependency = fieldsOf(each)
    const needed = textOf(dependency['name'])
    if (!nameForm.test(needed)) throw invalid('a dependency')
    const requirements = requirementsOf(dependency['requirement'] ?? dependency['version_requirements'])
    return textOf(dependency['type']) === ':development' ? [] : [{ name: needed, requirements }]
  })
  const metadata: GemMetadata = {
    platform,
    summary: textOf(fields['summary']),
    description: textOf(fields['description']),
    homepage: textOf(fields['homepage']),
    authors: textsOf(fields['authors']),
    licenses: textsOf(fields['licenses']),
    ruby: requirementsOf(fields['required_ruby_version']),
    rubygems: requirementsOf(fields['required_rubygems_version']),
    dependencies,
  }
  return { name, version, metadata }
}

/** Returns a version with its platform; without one for `ruby`. */
export const withPlatform = (version: string, platform: string, between: string): string =>
  platform === anyPlatform ? version : `${version}${between}${platform}`

export const gemFileName = (name: string, version: string, platform: string): string =>
  `${name}-${withPlatform(version, platform, '-')}.gem`

export const isPrerelease = (version: string): boolean => /[A-Za-z]|-/.test(version)

/** Compares versions like `Gem::Version`: letters before numbers, missing segments are zero. */
export function compareGems(one: string, other: string): number {
  const [left, right] = [segmentsOf(one), segmentsOf(other)]
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const [mine, theirs] = [left[at] ?? '0', right[at] ?? '0']
    if (mine === theirs) continue
    const [isNumber, isTheirs] = [/^\d/.test(mine), /^\d/.test(theirs)]
    if (isNumber !== isTheirs) return isNumber ? 1 : -1
    const order = isNumber ? compareDigits(mine, theirs) : Number(mine > theirs) - Number(mine < theirs)
    if (order !== 0) return order
  }
  return 0
}

const segmentsOf = (version: string): readonly string[] =>
  version.replaceAll('-', '.pre.').match(/\d+|[A-Za-z]+/g) ?? []

/** Compares decimal numbers of any length. */
function compareDigits(one: string, other: string): number {
  const [left, right] = [one.replace(/^0+/, ''), other.replace(/^0+/, '')]
  return left.length - right.length || Number(left > right) - Number(left < right)
}

/** A gem of a registry. */
export interface ListedGem {
  readonly name: string
  readonly version: string
  readonly sha256: string
  readonly metadata: GemMetadata
}

/** Requirements that all versions meet; the index omits them. */
const isAny = (requirements: Requirements): boolean =>
  requirements.length === 0 || (requirements.length === 1 && requirements[0] === '>= 0')

/** Returns the line of a gem for Bundler. Source: the compact index. */
export function infoLine({ version, sha256, metadata }: ListedGem): string {
  const { platform, dependencies, ruby, rubygems } = metadata
  const needed = dependencies.map(({ name, requirements }) => `${name}:${requirements.join('&') || '>= 0'}`)
  const about = [
    `checksum:${sha256}`,
    ...(isAny(ruby) ? [] : [`ruby:${ruby.join('&')}`]),
    ...(isAny(rubygems) ? [] : [`rubygems:${rubygems.join('&')}`]),
  ]
  return `${withPlatform(version, platform, '-')} ${needed.join(',')}|${about.join(',')}\n`
}

const gemVersion = (version: string): Marshalled => ({ class: 'Gem::Version', value: [version], as: 'value' })

/** Returns a list of gems for older clients. */
export const specsOf = (gems: readonly ListedGem[]): Marshalled =>
  gems.map(({ name, version, metadata }) => [name, gemVersion(version), metadata.platform])

/** The RubyGems version in descriptions. */
const formVersion = '3.2.3'

/** Returns a description for older clients. Clients read dependencies from the compact index. */
export const specificationOf = ({ name, version, metadata }: ListedGem): Marshalled => ({
  class: 'Gem::Specification',
  as: 'text',
  value: [
    formVersion,
    4,
    name,
    gemVersion(version),
    null,
    metadata.summary,
    null,
    null,
    metadata.platform,
    [],
    null,
    '',
    metadata.authors,
    metadata.description,
    metadata.homepage,
    true,
    metadata.platform,
    null,
    metadata.licenses,
  ],
})
