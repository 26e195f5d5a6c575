import { BadRequest } from '../../lib/errors.ts'
import { isRecord, recordOf, textIn } from '../registry/json-text.rules.ts'
import { semverOf } from '../registry/semver.rules.ts'

/** Longest package name with its scope, in characters (npm's rule). */
const maxNameLength = 214
const nameForm = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/
const maxTagLength = 128
/** Longest README of a version in characters; the rest is cut, as in the public registry. */
const maxReadmeLength = 64 * 1024
/** Largest number of tags in a document; clients send one. */
const maxTags = 100

/** The members of a version that npm clients read, beside the location of its archive. */
const members = [
  'description', 'author', 'contributors', 'maintainers', 'homepage', 'license', 'keywords', 'bugs', 'funding',
  'dependencies', 'devDependencies', 'peerDependencies', 'peerDependenciesMeta', 'optionalDependencies',
  'bundleDependencies', 'bundledDependencies', 'acceptDependencies', 'engines', 'os', 'cpu', 'libc', 'bin', 'directories',
  'main', 'module', 'types', 'typings', 'exports', 'imports', 'type', 'deprecated', 'hasInstallScript', '_hasShrinkwrap',
  'readme', 'packageManager', 'publishConfig',
] as const // prettier-ignore

type Member = (typeof members)[number]

/** Metadata of a version. */
export type NpmMetadata = { readonly [Name in Member]?: unknown } & {
  readonly repository: { readonly type: string; readonly url: string; readonly directory?: string }
  readonly integrity: string
  readonly shasum: string
}

/** A version to publish. */
export interface NpmPublication {
  readonly name: string
  readonly version: string
  readonly tags: readonly string[]
  readonly metadata: NpmMetadata
}

const refused = (what: string, code: string) => new BadRequest(what, code)

/** Returns whether a package name is valid. */
export const isNpmName = (name: unknown): name is string =>
  typeof name === 'string' && name.length <= maxNameLength && nameForm.test(name)

/** Returns whether a tag is valid; a tag must not look like a version range. */
export const isNpmTag = (tag: string): boolean =>
  tag !== '' &&
  tag.length <= maxTagLength &&
  tag.trim() === tag &&
  !/^v?\d+(?:\.[\dx*]|$|[-+ ])/i.test(tag) &&
  !/^[*<>=~^]/.test(tag)

/** Returns the file name of a version's archive. */
export const archiveName = (name: string, version: string): string =>
  `${name.split('/').pop() ?? name}-${version}.tgz`.toLowerCase()

function repositoryOf(value: unknown): NpmMetadata['repository'] {
  if (typeof value === 'string') return { type: '', url: value }
  if (!isRecord(value)) return { type: '', url: '' }
  const directory = textIn(value['directory'])
  return { type: textIn(value['type']), url: textIn(value['url']), ...(directory ? { directory } : {}) }
}

/** Parses the only version in a document of `npm publish`. Throws `BadRequest`. */
export function publicationOf(document: unknown): NpmPublication {
  if (!isRecord(document) || !isNpmName(document['name'])) {
    throw refused('the name of the package is invalid', 'package_name_invalid')
  }
  const { name, versions, 'dist-tags': distTags } = document
  const [entry, ...others] = isRecord(versions) ? Object.values(versions) : []
  if (!isRecord(entry) || others.length > 0) throw refused('one version is published at a time', 'npm_versions_invalid')
  const version = semverOf(entry['version'])
  if (version === undefined) throw refused('the version is not a semantic version', 'package_version_invalid')
  const dist = recordOf(entry['dist'])
  const kept = Object.fromEntries(
    members.flatMap((key) => (entry[key] === undefined || entry[key] === null ? [] : [[key, entry[key]]])),
  )
  const readme = typeof kept['readme'] === 'string' ? { readme: kept['readme'].slice(0, maxReadmeLength) } : {}
  const tags = isRecord(distTags) ? Object.keys(distTags) : []
  if (tags.length > maxTags) throw refused(`a version is published with at most ${maxTags} tags`, 'npm_tag_invalid')
  return {
    name,
    version,
    tags,
    metadata: {
      ...kept,
      ...readme,
      repository: repositoryOf(entry['repository']),
      integrity: textIn(dist['integrity']),
      shasum: textIn(dist['shasum']),
    },
  }
}

/** Returns deprecation notes by version (`npm deprecate`); undefined for a document that publishes. */
export function deprecationsOf(document: unknown): ReadonlyMap<string, string> | undefined {
  if (!isRecord(document) || isRecord(document['_attachments'])) return undefined
  const { versions } = document
  if (!isRecord(versions)) return undefined
  return new Map(
    Object.entries(versions).map(([version, entry]) => [version, isRecord(entry) ? textIn(entry['deprecated']) : '']),
  )
}

/** Throws `BadRequest` unless the archive has the announced digests. */
export function checkIntegrity(
  { integrity, shasum }: Pick<NpmMetadata, 'integrity' | 'shasum'>,
  arrived: { readonly sha512: string; readonly sha1: string; readonly sha256: string },
): void {
  const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64')
  const right = new Map([
    ['sha512', base64(arrived.sha512)],
    ['sha256', base64(arrived.sha256)],
    ['sha1', base64(arrived.sha1)],
  ])
  const claims = integrity.trim() === '' ? [] : integrity.trim().split(/\s+/)
  const wrong = claims.some((claim) => {
    const dash = claim.indexOf('-')
    const expected = right.get(claim.slice(0, dash))
    return expected !== undefined && expected !== claim.slice(dash + 1).split('?')[0]
  })
  if (wrong || (shasum !== '' && shasum.toLowerCase() !== arrived.sha1)) {
    throw refused('the archive does not match its checksum', 'package_checksum_wrong')
  }
}
