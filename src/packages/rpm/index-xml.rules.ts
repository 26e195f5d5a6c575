import { escapeXml } from '../../lib/escape-xml.ts'
import type { RelationKind, RpmPackage, RpmRelation } from '../formats/rpm.ts'
import { wordTable } from '../../lib/word-table.ts'

/** A package and its file. */
export interface IndexedRpm {
  readonly described: RpmPackage
  readonly sha256: string
  readonly sizeBytes: number
  readonly createdUnix: number
  /** The path of the file below the repository. */
  readonly href: string
}

const open = '<?xml version="1.0" encoding="UTF-8"?>\n'
const common = 'http://linux.duke.edu/metadata/common'
const rpm = 'http://linux.duke.edu/metadata/rpm'

/** The beginning, end and entries of each document of a repository. */
export const documents = {
  primary: {
    head: (count: number) => `${open}<metadata xmlns="${common}" xmlns:rpm="${rpm}" packages="${count}">\n`,
    tail: '</metadata>\n',
    entry: primaryOf,
  },
  filelists: {
    head: (count: number) =>
      `${open}<filelists xmlns="http://linux.duke.edu/metadata/filelists" packages="${count}">\n`,
    tail: '</filelists>\n',
    entry: (each: IndexedRpm) =>
      packageOf(
        each,
        filesOf(each.described, () => true),
      ),
  },
  other: {
    head: (count: number) => `${open}<otherdata xmlns="http://linux.duke.edu/metadata/other" packages="${count}">\n`,
    tail: '</otherdata>\n',
    entry: (each: IndexedRpm) => packageOf(each, changesOf(each.described)),
  },
} as const

export type DocumentName = keyof typeof documents

const element = (name: string, text: string): string => `  <${name}>${escapeXml(text)}</${name}>\n`

function evr({
  epoch,
  version,
  release,
}: {
  readonly epoch: number
  readonly version: string
  readonly release: string
}) {
  return `epoch="${epoch}" ver="${escapeXml(version)}" rel="${escapeXml(release)}"`
}

/** Files that `primary.xml` includes. Source: createrepo. */
const isPrimary = (path: string): boolean => /^\/etc\/|bin\/|^\/usr\/lib\/sendmail$/.test(path)

const relationOrder: readonly RelationKind[] = [
  'provides',
  'requires',
  'conflicts',
  'obsoletes',
  'suggests',
  'enhances',
  'recommends',
  'supplements',
]

function primaryOf({ described, sha256, sizeBytes, createdUnix, href }: IndexedRpm): string {
  const { header, installedBytes, archiveBytes, buildUnix } = described
  return [
    '<package type="rpm">\n',
    element('name', described.name),
    element('arch', described.architecture),
    `  <version ${evr(described)}/>\n`,
    `  <checksum type="sha256" pkgid="YES">${sha256}</checksum>\n`,
    element('summary', described.summary),
    element('description', described.description),
    element('packager', described.packager),
    element('url', described.url),
    `  <time file="${createdUnix}" build="${buildUnix}"/>\n`,
    `  <size package="${sizeBytes}" installed="${installedBytes}" archive="${archiveBytes}"/>\n`,
    `  <location href="${escapeXml(href)}"/>\n`,
    '  <format>\n',
    element('rpm:license', described.license),
    element('rpm:vendor', described.vendor),
    element('rpm:group', described.group),
    element('rpm:buildhost', described.buildHost),
    element('rpm:sourcerpm', described.sourceRpm),
    `  <rpm:header-range start="${header[0]}" end="${header[1]}"/>\n`,
    ...relationOrder.map((kind) => relationsOf(kind, described)),
    ...filesOf(described, isPrimary),
    '  </format>\n',
    '</package>\n',
  ].join('')
}

const comparisons: Readonly<Record<number, string>> = { 2: 'LT', 4: 'GT', 8: 'EQ', 10: 'LE', 12: 'GE' }
/** RPMSENSE_PREREQ, _SCRIPT_PRE and _SCRIPT_POST: required before the installation. */
const isBefore = (flags: number): boolean => (flags & (0x40 | 0x200 | 0x400)) !== 0

function relationLine({ name, flags, version }: RpmRelation, before: string): string {
  const comparison = comparisons[flags & 0xe]
  const [, epoch = '0', ver = '', release] = /^(?:(\d+):)?([^-]*)(?:-(.*))?$/s.exec(version) ?? []
  const rel = release === undefined ? '' : ` rel="${escapeXml(release)}"`
  const about =
    comparison === undefined || version === ''
      ? ''
      : ` flags="${comparison}" epoch="${epoch}" ver="${escapeXml(ver)}"${rel}`
  return `    <rpm:entry name="${escapeXml(name)}"${about}${before}/>\n`
}

function relationsOf(kind: RelationKind, described: RpmPackage): string {
  const { relations } = described
  const all = relations[kind] ?? []
  const lines = kind === 'requires' ? needsOf(described) : all.map((each) => relationLine(each, ''))
  // Packages often repeat a relation.
  const distinct = [...new Set(lines)]
  return distinct.length === 0 ? '' : `  <rpm:${kind}>\n${distinct.join('')}  </rpm:${kind}>\n`
}

/** Returns a package's requirements, without those it provides itself and those on features of rpm. */
function needsOf({ relations: { provides = [], requires = [] }, files }: RpmPackage): string[] {
  const given = new Set(provides.map((each) => relationLine(each, '')))
  const own = new Set(files.filter(isPrimary))
  return requires.flatMap((each) =>
    each.name.startsWith('rpmlib(') || own.has(each.name) || given.has(relationLine(each, ''))
      ? []
      : [relationLine(each, isBefore(each.flags) ? ' pre="1"' : '')],
  )
}

const fileTypes = wordTable<string>({ d: ' type="dir"', g: ' type="ghost"' })

const filesOf = ({ files, kinds }: RpmPackage, isListed: (path: string) => boolean): string[] =>
  files.flatMap((path, at) =>
    isListed(path) ? [`  <file${fileTypes[kinds[at] ?? ''] ?? ''}>${escapeXml(path)}</file>\n`] : [],
  )

const changesOf = ({ changes }: RpmPackage): string[] =>
  // The newest entry comes last, as createrepo writes them.
  changes
    .toReversed()
    .map(
      ({ unix, author, text }) =>
        `  <changelog author="${escapeXml(author)}" date="${unix}">${escapeXml(text)}</changelog>\n`,
    )

const packageOf = ({ described, sha256 }: IndexedRpm, lines: readonly string[]): string =>
  `<package pkgid="${sha256}" name="${escapeXml(described.name)}" arch="${escapeXml(described.architecture)}">\n  <version ${evr(described)}/>\n${lines.join('')}</package>\n`

/** The entry of a document in `repomd.xml`. */
export interface DocumentSums {
  readonly name: DocumentName
  readonly sha256: string
  readonly sizeBytes: number
  readonly openSha256: string
  readonly openSizeBytes: number
}

/** Returns `repomd.xml`, which is signed. */
export function repomd(documentSums: readonly DocumentSums[], revision: number): string {
  const data = documentSums.map(
    ({ name, sha256, sizeBytes, openSha256, openSizeBytes }) => `<data type="${name}">
  <checksum type="sha256">${sha256}</checksum>
  <open-checksum type="sha256">${openSha256}</open-checksum>
  <location href="repodata/${name}.xml.gz"/>
  <timestamp>${revision}</timestamp>
  <size>${sizeBytes}</size>
  <open-size>${openSizeBytes}</open-size>
</data>
`,
  )
  return `${open}<repomd xmlns="http://linux.duke.edu/metadata/repo" xmlns:rpm="${rpm}">\n<revision>${revision}</revision>\n${data.join('')}</repomd>\n`
}
