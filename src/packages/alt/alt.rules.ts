import { pluck } from '../../lib/pluck.ts'
import { NotFound } from '../../lib/errors.ts'
import { relationTags, type RpmPackage } from '../formats/rpm.ts'
import { numberEntry, rpmType, textEntry, writeHeader, type RpmEntry } from '../formats/rpm-header.ts'
import { checkedGroup } from '../rpm/rpm.rules.ts'

/** The meaning of a path below the registry. */
export type AltPath =
  | { readonly kind: 'settings'; readonly group: string }
  | { readonly kind: 'index' | 'package'; readonly group: string; readonly architecture: string; readonly file: string }

const fileForm = /^(.+)\.repo\/([^/]+)\/(base|RPMS\.classic)\/([^/]+)$/

/** Parses a path below the registry. Throws `NotFound`. */
export function altPathOf(path: string): AltPath {
  const [isFile, group, architecture = '', folder, file = ''] = fileForm.exec(path) ?? []
  if (isFile !== undefined) {
    return { kind: folder === 'base' ? 'index' : 'package', group: checkedGroup(group), architecture, file }
  }
  const [isSettings, settingsGroup] = /^(.+)\.repo$/.exec(path) ?? []
  if (isSettings !== undefined) return { kind: 'settings', group: checkedGroup(settingsGroup) }
  throw new NotFound('the path does not exist', 'package_file_not_found')
}

/** Returns the architecture in a file name. */
export const architectureOf = (fileName: string): string => /\.([^.]+)\.rpm$/.exec(fileName)?.[1] ?? ''

/** The folder of packages below an architecture. */
export const packagesFolder = 'RPMS.classic'

/** Tags of apt-rpm: the file name, its size, its MD5 and its folder. */
const aptTags = { fileName: 1_000_000, sizeBytes: 1_000_001, md5: 1_000_005, folder: 1_000_010 } as const

/** Files on which packages depend by path. */
const isDependencyPath = (path: string): boolean => /^\/etc\/|bin\/|^\/usr\/lib\/sendmail$/.test(path)

const one = (tag: number, text: string): RpmEntry[] => (text === '' ? [] : [textEntry(tag, [text], rpmType.string)])

/** Returns the index entry of a package: a header with the tags that apt-rpm needs. */
export function listedHeader(
  described: RpmPackage,
  file: { readonly name: string; readonly sizeBytes: number; readonly md5: string },
): Buffer {
  const { relations, epoch } = described
  const declared = (['provides', 'requires', 'conflicts', 'obsoletes'] as const).flatMap((kind): RpmEntry[] => {
    const list = relations[kind] ?? []
    const [names, flags, versions] = relationTags[kind]
    if (list.length === 0) return []
    return [
      textEntry(names, pluck(list, 'name')),
      numberEntry(flags, pluck(list, 'flags')),
      textEntry(versions, pluck(list, 'version')),
    ]
  })
  return writeHeader([
    ...one(1000, described.name),
    ...one(1001, described.version),
    ...one(1002, described.release),
    ...(epoch > 0 ? [numberEntry(1003, [epoch])] : []),
    textEntry(1004, [described.summary], rpmType.translated),
    textEntry(1005, [described.description], rpmType.translated),
    numberEntry(1006, [described.buildUnix]),
    numberEntry(1009, [described.installedBytes]),
    ...one(1014, described.license),
    ...one(1015, described.packager),
    textEntry(1016, [described.group], rpmType.translated),
    ...one(1020, described.url),
    ...one(1022, described.architecture),
    ...one(1044, described.sourceRpm),
    ...declared,
    ...filesOf(described.files.filter(isDependencyPath)),
    ...one(aptTags.fileName, file.name),
    numberEntry(aptTags.sizeBytes, [file.sizeBytes]),
    ...one(aptTags.md5, file.md5),
    ...one(aptTags.folder, packagesFolder),
  ])
}

/** Splits paths into the header's form: names, folders, and the folder number of each name. */
function filesOf(files: readonly string[]): RpmEntry[] {
  if (files.length === 0) return []
  const folders = new Map<string, number>()
  const indexes = files.map((path) => {
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    const index = folders.get(folder) ?? folders.size
    folders.set(folder, index)
    return index
  })
  const names = files.map((path) => path.slice(path.lastIndexOf('/') + 1))
  return [numberEntry(1116, indexes), textEntry(1117, names), textEntry(1118, [...folders.keys()])]
}

/** A file in a release, with its digests. */
export interface ReleasedFile {
  readonly name: string
  readonly sizeBytes: number
  readonly md5: string
  readonly blake2b: string
}

/** Returns the release file of a repository for an architecture. */
export function releaseOf(
  { owner, group, architecture, changedUnix }: AltRepository,
  files: readonly ReleasedFile[],
): string {
  const lines = (digest: 'md5' | 'blake2b') =>
    files.map((file) => ` ${file[digest]} ${file.sizeBytes} base/${file.name}\n`).join('')
  return `Origin: ${owner}\nLabel: ${group}\nSuite: ${group}\nCodename: ${changedUnix}\nDate: ${new Date(changedUnix * 1000).toUTCString()}\nArchitectures: ${architecture}\nMD5Sum:\n${lines('md5')}BLAKE2b:\n${lines('blake2b')}`
}

export interface AltRepository {
  readonly owner: string
  readonly group: string
  readonly architecture: string
  readonly changedUnix: number
}

/** Returns the release file of its only component. */
export const componentOf = ({ owner, group, architecture, changedUnix }: AltRepository): string =>
  `Archive: ${group}\nComponent: classic\nVersion: ${changedUnix}\nOrigin: ${owner}\nLabel: ${group}\nArchitecture: ${architecture}\nNotAutomatic: false\n`
