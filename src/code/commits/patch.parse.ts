import { nameInLine } from '../../lib/file-names.ts'
import { utf8OfLatin1 } from '../../lib/latin1.ts'

/** A line of a hunk. */
export interface PatchLine {
  readonly kind: 'kept' | 'added' | 'removed'
  readonly text: string
  /** Number on the old side, from 1; 0 for an added line. */
  readonly old: number
  /** Number on the new side, from 1; 0 for a removed line. */
  readonly new: number
  /** The file ends here without a line break. */
  readonly lacksBreak: boolean
}

/** A part of a file that differs, with the lines around it. */
export interface Hunk {
  readonly oldBegin: number
  readonly oldCount: number
  readonly newBegin: number
  readonly newCount: number
  /** The line above that git considers a heading, such as the name of a function; may be empty. */
  readonly heading: string
  readonly lines: readonly PatchLine[]
}

/** The hunks of one file. */
export interface FilePatch {
  /** The new path; for a removed file its path. */
  readonly path: string
  readonly hunks: readonly Hunk[]
  /** The text ends in the middle of the file. */
  readonly isCut: boolean
}

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/

/**
 * Parses a patch of git. Names are bytes, contents are read as UTF-8. Files without hunks (binary, renamed only, changed
 * mode) are left out. The lines of a hunk are counted by its header, so content that looks like a header is content.
 * @param isWhole whether the text ends where git ended it; otherwise its last file is cut
 */
export function parsePatch(bytes: Buffer, isWhole = true): FilePatch[] {
  const lines = bytes.toString('latin1').split('\n')
  const end = lines.at(-1) === '' ? lines.length - 1 : lines.length
  const files: { path: string; hunks: Hunk[]; isCut: boolean }[] = []
  let old = ''
  let at = 0
  while (at < end) {
    const line = lines[at] as string
    if (line.startsWith('--- ')) old = line
    else if (line.startsWith('+++ ')) {
      files.push({ path: nameIn(line) ?? nameIn(old) ?? '', hunks: [], isCut: false })
    } else {
      const header = hunkHeader.exec(line)
      const file = files.at(-1)
      if (header && file) {
        const read = readHunk(lines, at + 1, end, header)
        file.hunks.push(read.hunk)
        file.isCut ||= read.isCut
        at = read.next
        continue
      }
    }
    at += 1
  }
  const last = files.at(-1)
  if (last && !isWhole) last.isCut = true
  return files
}

function readHunk(lines: readonly string[], begin: number, end: number, header: RegExpExecArray) {
  const [, oldBegin, oldCount = '1', newBegin, newCount = '1', heading = ''] = header
  const counts = { old: Number(oldCount), new: Number(newCount) }
  const left = { ...counts }
  // For a side without lines, the header names the line before the hunk.
  const next = {
    old: Number(oldBegin) + (counts.old === 0 ? 1 : 0),
    new: Number(newBegin) + (counts.new === 0 ? 1 : 0),
  }
  const found: PatchLine[] = []
  let at = begin
  for (; at < end && (left.old > 0 || left.new > 0 || lines[at]?.startsWith('\\')); at++) {
    const line = lines[at] as string
    if (line.startsWith('\\')) {
      const last = found.pop()
      if (last) found.push({ ...last, lacksBreak: true })
      continue
    }
    const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'kept'
    found.push({
      kind,
      text: utf8OfLatin1(line.slice(1)),
      old: kind === 'added' ? 0 : next.old,
      new: kind === 'removed' ? 0 : next.new,
      lacksBreak: false,
    })
    if (kind !== 'added') {
      next.old += 1
      left.old -= 1
    }
    if (kind !== 'removed') {
      next.new += 1
      left.new -= 1
    }
  }
  const hunk: Hunk = {
    oldBegin: Number(oldBegin),
    oldCount: counts.old,
    newBegin: Number(newBegin),
    newCount: counts.new,
    heading: utf8OfLatin1(heading),
    lines: found,
  }
  return { hunk, next: at, isCut: left.old > 0 || left.new > 0 }
}

/** Returns the path of a `---` or `+++` line; undefined for a side without a file. */
function nameIn(line: string): string | undefined {
  // git ends a name that contains white space with a tab.
  const name = line.slice(4).replace(/\t$/, '')
  if (name === '/dev/null' || name === '') return undefined
  return nameInLine(name).slice(2)
}
