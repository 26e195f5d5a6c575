import { BadRequest } from '../../lib/errors.ts'
import { recordOf, textIn, textsIn, type JsonRecord } from '../registry/json-text.rules.ts'
import { semverOf } from '../registry/semver.rules.ts'

const scopeForm = /^[A-Za-z0-9](?:[A-Za-z0-9]|-(?=[A-Za-z0-9])){0,38}$/
const nameForm = /^[A-Za-z0-9](?:[A-Za-z0-9]|[-_](?=[A-Za-z0-9])){0,99}$/

/** The scope and name of a package. */
export interface SwiftName {
  readonly scope: string
  readonly name: string
}

/** Metadata of a version. */
export interface SwiftMetadata {
  readonly description: string
  readonly keywords: readonly string[]
  readonly codeRepository: string
  readonly license: string
  readonly author: { readonly givenName: string; readonly familyName: string } | undefined
  readonly repositoryUrls: readonly string[]
  /** Manifests by compiler version; the empty text is the default manifest. */
  readonly manifests: Readonly<Record<string, string>>
}

export const identifierOf = ({ scope, name }: SwiftName): string => `${scope}.${name}`

/** Normalizes a version. Throws `BadRequest`. */
export function checkSwift({ scope, name }: SwiftName, version: string): string {
  const clean = semverOf(version)
  if (!scopeForm.test(scope) || !nameForm.test(name)) {
    throw new BadRequest('the name of the package is invalid', 'package_name_invalid')
  }
  if (clean === undefined) throw new BadRequest('the version is not a semantic version', 'package_version_invalid')
  return clean
}

/** Parses the metadata that a client sends with a version. */
export function swiftMetadataOf(about: JsonRecord, manifests: Readonly<Record<string, string>>): SwiftMetadata {
  const author = recordOf(about['author'])
  const hasAuthor = Object.keys(author).length > 0
  return {
    description: textIn(about['description']),
    keywords: textsIn(about['keywords']),
    codeRepository: textIn(about['codeRepository']),
    license: textIn(about['license']) || textIn(about['licenseURL']),
    author: hasAuthor
      ? { givenName: textIn(author['givenName']), familyName: textIn(author['familyName']) }
      : undefined,
    repositoryUrls: textsIn(about['repositoryURLs']),
    manifests,
  }
}

export const manifestForm = /^(?:[^/]+\/)?Package(?:@swift-(\d+(?:\.\d+){0,2}))?\.swift$/

/** Returns the compiler version of a manifest in an archive; undefined for other files. */
export function manifestVersion(fileName: string): string | undefined {
  const found = manifestForm.exec(fileName)
  return found ? (found[1] ?? '') : undefined
}

export const manifestName = (swiftVersion: string): string =>
  swiftVersion === '' ? 'Package.swift' : `Package@swift-${swiftVersion}.swift`

/** Checks that `Accept` allows a form of the protocol. A missing header and a wildcard allow all. */
export function checkAccept(accept: unknown, form: 'json' | 'swift' | 'zip'): void {
  const text = typeof accept === 'string' ? accept.trim() : ''
  const taken = text === '' ? [] : text.split(',').map((each) => each.split(';')[0]?.trim() ?? '')
  const fits = (each: string) =>
    each === '*/*' || new RegExp(`^application/vnd\\.swift\\.registry(?:\\.v1)?(?:\\+${form})?$`).test(each)
  if (taken.length > 0 && !taken.some(fits)) throw new BadRequest('the Accept header allows no supported form')
}
