import { BadRequest } from '../../lib/errors.ts'

/** Longest path in characters. */
const maxPathLength = 1000
const unfit = /[\\:"<>|?*\p{Cc}]/u
const checksumForm = /\.(md5|sha1|sha256|sha512)$/
const metadataName = 'maven-metadata.xml'

export type ChecksumName = 'md5' | 'sha1' | 'sha256' | 'sha512'

/** The meaning of a path below the registry. */
export interface MavenPath {
  readonly groupId: string
  readonly artifactId: string
  /** Undefined for the list of versions. */
  readonly version: string | undefined
  /** Without the ending of a checksum. */
  readonly fileName: string
  /** Set when the path names the file's checksum. */
  readonly checksum: ChecksumName | undefined
  /** Whether the path names the computed list of versions. */
  readonly isVersionList: boolean
}

export const isSnapshot = (version: string): boolean => version.endsWith('-SNAPSHOT')

/** Parses `group/path/artifact/version/file`. Throws `BadRequest`. */
export function mavenPathOf(path: string): MavenPath {
  const segments = path.split('/')
  const last = segments.pop() ?? ''
  const checksum = checksumForm.exec(last)?.[1] as ChecksumName | undefined
  const fileName = checksum ? last.slice(0, -checksum.length - 1) : last
  const isBad = segments.some((segment) => segment === '' || segment === '.' || segment === '..')
  if (path.length > maxPathLength || unfit.test(path) || isBad) throw noPath()
  const parent = segments.at(-1) ?? ''
  const isVersionList = fileName === metadataName && !isSnapshot(parent)
  const version = isVersionList ? undefined : segments.pop()
  const artifactId = segments.pop()
  if (artifactId === undefined || segments.length === 0 || version === '') throw noPath()
  return { groupId: segments.join('.'), artifactId, version, fileName, checksum, isVersionList }
}

const noPath = () => new BadRequest('the path is none of an artifact', 'maven_path_invalid')

export const packageName = ({ groupId, artifactId }: Pick<MavenPath, 'groupId' | 'artifactId'>): string =>
  `${groupId}:${artifactId}`

const extensionOf = (fileName: string): string => /\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? ''

export const isPom = (fileName: string): boolean => extensionOf(fileName) === 'pom'

/** Returns the media type of a file. */
export function mavenType(fileName: string): string {
  const extension = extensionOf(fileName)
  if (extension === 'jar' || extension === 'war' || extension === 'ear') return 'application/java-archive'
  return extension === 'pom' ? 'text/xml' : 'application/octet-stream'
}

/** Returns whether a download of the file counts as a download of its version, as that of the main artifact does. */
export function isMainFile({ artifactId, fileName }: MavenPath): boolean {
  return fileName.startsWith(`${artifactId}-`) && !/(?:-sources|-javadoc)\.|\.(?:pom|asc|module|xml)$/.test(fileName)
}

/** Metadata of a version. */
export interface MavenMetadata {
  readonly name: string
  readonly description: string
  readonly url: string
  readonly licenses: readonly string[]
  readonly dependencies: readonly { readonly groupId: string; readonly artifactId: string; readonly version: string }[]
}
