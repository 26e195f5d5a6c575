import { createHash } from 'node:crypto'
import { firstText, headerBytes, introBytes, numbersOf, readHeader, textsOf, type RpmHeader } from './rpm-header.ts'
import { brokenArchive, reading, wholeOf, type StoredArchive } from './stored-archive.ts'

const leadBytes = 96
const leadMagic = Buffer.from([0xed, 0xab, 0xee, 0xdb])
/** Largest header in bytes; one with 50,000 files has about six million. */
const maxHeaderBytes = 8 << 20
const maxFiles = 50_000
/**
 * Largest total length of paths. Files refer to their folder by number, so a small header can repeat a long folder
 * name.
 */
const maxPathCharacters = 8 << 20
/** Number of changelog entries that are kept, as createrepo does. */
const maxChanges = 10

/** A dependency, provided name or conflict. */
export interface RpmRelation {
  readonly name: string
  readonly flags: number
  readonly version: string
}

/** Tags of the names, flags and versions of each kind of relation. */
export const relationTags = {
  provides: [1047, 1112, 1113],
  requires: [1049, 1048, 1050],
  conflicts: [1054, 1053, 1055],
  obsoletes: [1090, 1114, 1115],
  recommends: [5046, 5048, 5047],
  suggests: [5049, 5051, 5050],
  supplements: [5052, 5054, 5053],
  enhances: [5055, 5057, 5056],
} as const

export type RelationKind = keyof typeof relationTags

/** The metadata of an RPM package. */
export interface RpmPackage {
  readonly name: string
  readonly version: string
  readonly release: string
  readonly epoch: number
  readonly architecture: string
  readonly summary: string
  readonly description: string
  readonly license: string
  readonly url: string
  readonly vendor: string
  readonly group: string
  readonly buildHost: string
  readonly sourceRpm: string
  readonly packager: string
  readonly buildUnix: number
  readonly installedBytes: number
  readonly archiveBytes: number
  /** Offsets of the beginning and end of the header. */
  readonly header: readonly [number, number]
  readonly relations: Partial<Record<RelationKind, readonly RpmRelation[]>>
  readonly files: readonly string[]
  /** The kind of each file by one letter: `f` file, `d` directory, `g` ghost. */
  readonly kinds: string
  readonly changes: readonly { readonly unix: number; readonly author: string; readonly text: string }[]
}

export interface ReadRpm {
  readonly signatures: RpmHeader
  readonly headerContent: Buffer
  readonly start: number
  readonly described: RpmPackage
}

const range = async (archive: StoredArchive, start: number, length: number): Promise<Buffer> => {
  if (length <= 0 || start + length > archive.sizeBytes) throw brokenArchive('ends before its header')
  return wholeOf(await archive.open({ start, end: start + length - 1 }), length)
}

/** Reads the headers of a package and verifies its digests. Throws `BadRequest`. */
export const readRpm = (archive: StoredArchive): Promise<ReadRpm> =>
  reading(async () => {
    const lead = await range(archive, 0, leadBytes + introBytes)
    if (!lead.subarray(0, leadMagic.length).equals(leadMagic)) throw brokenArchive('is no package')
    const signatureBytes = headerBytes(lead.subarray(leadBytes), maxHeaderBytes)
    const signatures = readHeader(await range(archive, leadBytes, signatureBytes))
    const start = leadBytes + signatureBytes + ((8 - (signatureBytes % 8)) % 8)
    const size = headerBytes(await range(archive, start, introBytes), maxHeaderBytes)
    const headerContent = await range(archive, start, size)
    const header = readHeader(headerContent)
    await checkDigests(archive, { signatures, header, headerContent, start })
    return { signatures, headerContent, start, described: describe(header, signatures, [start, start + size]) }
  })

const wrongDigest = () => brokenArchive('does not match its digests')

/** Verifies the size and digests in a package. Old packages have MD5 only. */
async function checkDigests(
  archive: StoredArchive,
  {
    signatures,
    header,
    headerContent,
    start,
  }: Pick<ReadRpm, 'signatures' | 'headerContent' | 'start'> & { readonly header: RpmHeader },
): Promise<void> {
  const sizeBytes = numbersOf(signatures, 1000)[0] ?? numbersOf(signatures, 270)[0]
  if (sizeBytes !== undefined && sizeBytes !== archive.sizeBytes - start) throw wrongDigest()
  for (const [tag, algorithm] of [
    [269, 'sha1'],
    [273, 'sha256'],
  ] as const) {
    const expected = firstText(signatures, tag)
    if (expected !== '' && expected !== createHash(algorithm).update(headerContent).digest('hex')) throw wrongDigest()
  }
  const isSha256 = numbersOf(header, 5093)[0] === 8
  const expected = isSha256 ? firstText(header, 5092) : signatures.get(1004)?.data.toString('hex')
  if (expected === undefined || expected === '') return
  const hash = createHash(isSha256 ? 'sha256' : 'md5')
  const from = isSha256 ? start + headerContent.length : start
  if (from < archive.sizeBytes) {
    for await (const chunk of await archive.open({ start: from, end: archive.sizeBytes - 1 })) {
      hash.update(chunk as Buffer)
    }
  }
  if (hash.digest('hex') !== expected) throw wrongDigest()
}

function describe(header: RpmHeader, signatures: RpmHeader, at: readonly [number, number]): RpmPackage {
  const text = (tag: number) => firstText(header, tag)
  const number = (tag: number, from = header) => numbersOf(from, tag)[0] ?? 0
  const relations = Object.entries(relationTags).map(([kind, tags]) => [kind, relationsOf(header, tags)] as const)
  return {
    name: text(1000),
    version: text(1001),
    release: text(1002),
    epoch: number(1003),
    // A source package names the architecture it was built on, but belongs to none.
    architecture: text(1044) === '' && header.has(1106) ? 'src' : text(1022),
    summary: text(1004),
    description: text(1005),
    license: text(1014),
    url: text(1020),
    vendor: text(1011),
    group: text(1016),
    buildHost: text(1007),
    sourceRpm: text(1044),
    packager: text(1015),
    buildUnix: number(1006),
    installedBytes: number(5009) || number(1009),
    archiveBytes: number(271, signatures) || number(1007, signatures) || number(1046),
    header: at,
    relations: Object.fromEntries(relations.filter(([, list]) => list.length > 0)),
    ...filesOf(header),
    changes: changesOf(header),
  }
}

function relationsOf(header: RpmHeader, [names, flags, versions]: readonly [number, number, number]): RpmRelation[] {
  const [allFlags, allVersions] = [numbersOf(header, flags), textsOf(header, versions)]
  return textsOf(header, names).map((name, index) => ({
    name,
    flags: allFlags[index] ?? 0,
    version: allVersions[index] ?? '',
  }))
}

const ghost = 1 << 6

function filesOf(header: RpmHeader): Pick<RpmPackage, 'files' | 'kinds'> {
  const files = pathsOf(header)
  const [flags, modes] = [numbersOf(header, 1037), numbersOf(header, 1030)]
  const kinds = files.map((_, at) => {
    if ((flags[at] ?? 0) & ghost) return 'g'
    return ((modes[at] ?? 0) & 0o170000) === 0o040000 ? 'd' : 'f'
  })
  return { files, kinds: kinds.join('') }
}

/** Returns all paths. It checks their number and length before it builds them. */
function pathsOf(header: RpmHeader): readonly string[] {
  const names = textsOf(header, 1117)
  const folders = textsOf(header, 1118)
  const indexes = numbersOf(header, 1116)
  const wholePaths = names.length > 0 ? [] : textsOf(header, 1027)
  if (Math.max(names.length, wholePaths.length) > maxFiles) throw brokenArchive(`lists more than ${maxFiles} files`)
  const folderOf = (at: number): string => folders[indexes[at] ?? -1] ?? ''
  const length = names.reduce((sum, name, at) => sum + folderOf(at).length + name.length, 0)
  if (length > maxPathCharacters) throw brokenArchive('lists paths whose total length is too large')
  return names.length > 0 ? names.map((name, at) => folderOf(at) + name) : wholePaths
}

function changesOf(header: RpmHeader): RpmPackage['changes'] {
  const [authors, texts] = [textsOf(header, 1081), textsOf(header, 1082)]
  return numbersOf(header, 1080)
    .slice(0, maxChanges)
    .map((unix, at) => ({ unix, author: authors[at] ?? '', text: texts[at] ?? '' }))
}
