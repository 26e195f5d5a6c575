import { BadRequest } from '../../lib/errors.ts'

/** Longest path, in characters. */
const maxPathLength = 1000
const unfit = /[\\:"<>|?*\p{Cc}]/u
const checksumForm = /\.(md5|sha1|sha256|sha512)$/
const metadataName = 'maven-metadata.xml'

export type ChecksumName = 'md5' | 'sha1' | 'sha256' | 'sha512'

/** What an address below the registry means. */
export interface MavenPath {
  readonly groupId: string
  readonly artifactId: string
  /** None for the list of versions of an artifact. */
  readonly version: string | undefined
  /** Without the ending of a checksum. */
  readonly fileName: string
  /** Its checksum is meant, and not the file. */
  readonly checksum: ChecksumName | undefined
  /** It is the list of versions, which is computed. */
  readonly isVersionList: boolean
}

export const isSnapshot = (version: string): boolean => version.endsWith('-SNAPSHOT')

/** Takes `group/path/artifact/version/file` apart. Throws `BadRequest`. */
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

/** The media type that a file is served as. */
export function mavenType(fileName: string): string {
  const extension = extensionOf(fileName)
  if (extension === 'jar' || extension === 'war' || extension === 'ear') return 'application/java-archive'
  return extension === 'pom' ? 'text/xml' : 'application/octet-stream'
}

/** Whether a download of a file is one of its version: the artifact itself, and none of those that come with it. */
export function isMainFile({ artifactId, fileName }: MavenPath): boolean {
  return fileName.startsWith(`${artifactId}-`) && !/(?:-sources|-javadoc)\.|\.(?:pom|asc|module|xml)$/.test(fileName)
}

/** What is kept of a version. */
export interface MavenMetadata {
  readonly name: string
  readonly description: string
  readonly url: string
  readonly licenses: readonly string[]
  readonly dependencies: readonly { readonly groupId: string; readonly artifactId: string; readonly version: string }[]
}
