import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** Kinds of records that `test/power/record.c` writes, by number, and `acknowledged`, which tests add. */
const kinds = {
  1: 'write',
  2: 'create',
  3: 'truncate',
  4: 'rename',
  5: 'unlink',
  6: 'link',
  7: 'mkdir',
  8: 'rmdir',
  9: 'syncBegun',
  10: 'syncEnded',
  11: 'acknowledged',
  12: 'writtenOut',
} as const

interface PowerRecord {
  readonly kind: (typeof kinds)[keyof typeof kinds]
  readonly position: number
  readonly path: string
  readonly other: string
  readonly bytes: Buffer
}

const headBytes = 40

/** Returns the record of a received acknowledgement, to append to a log. */
export function acknowledgedRecord(what: unknown): Buffer {
  const text = Buffer.from(JSON.stringify(what))
  const head = Buffer.alloc(headBytes)
  for (const [index, value] of [headBytes + text.length, 11, 0, text.length, 0].entries()) {
    head.writeBigInt64LE(BigInt(value), index * 8)
  }
  return Buffer.concat([head, text])
}

/** Parses a log. */
export function readPowerLog(file: string): readonly PowerRecord[] {
  const log = readFileSync(file)
  const records: PowerRecord[] = []
  for (let at = 0; at < log.length;) {
    const [whole = 0, kind = 0, position = 0, first = 0, second = 0] = [0, 1, 2, 3, 4].map((index) =>
      Number(log.readBigInt64LE(at + index * 8)),
    )
    const names = at + headBytes
    records.push({
      kind: kinds[kind as keyof typeof kinds],
      position,
      path: log.toString('utf8', names, names + first),
      other: log.toString('utf8', names + first, names + first + second),
      bytes: log.subarray(names + first + second, at + whole),
    })
    at += whole
  }
  return records
}

interface File {
  readonly changes: { readonly at: number; readonly position: number; readonly bytes: Buffer | undefined }[]
  /** Every change before this record is on disk. */
  lastingTo: number
}

/**
 * Writes the worst-case disk content after a power failure behind the first `cut` records of a log: of a file, what was
 * written before its last sync, or written out before the last sync of any file; of names, those created before the
 * last sync of any file, as journaling file systems keep them.
 */
export function writeWhatLasts(records: readonly PowerRecord[], cut: number, root: string, into: string): void {
  const { files, namesTo } = follow(records, cut)
  const names = namesAt(records, namesTo, files)
  for (const [path, file] of names) {
    const target = join(into, relative(root, path))
    if (file === 'folder') mkdirSync(target, { recursive: true, mode: 0o700 })
    // The shared memory file of SQLite does not survive.
    else if (!path.endsWith('-shm')) {
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
      writeFileSync(target, contentOf(file), { mode: target.includes('/hooks/') ? 0o700 : 0o600 })
    }
  }
}

type Names = Map<string, File | 'folder'>

/** Returns the changes of each file and the last durable record for names. */
function follow(records: readonly PowerRecord[], cut: number): { files: Map<number, File>; namesTo: number } {
  const files = new Map<number, File>()
  const names: Names = new Map()
  const begun = new Map<string, number[]>()
  /** Files written out since the last sync, with the record. */
  let writtenOut: { readonly file: File; readonly at: number }[] = []
  let namesTo = 0
  for (const [at, record] of records.slice(0, cut).entries()) {
    apply(names, record, () => {
      const file: File = { changes: [], lastingTo: -1 }
      files.set(at, file)
      return file
    })
    const file = names.get(record.path)
    if (record.kind === 'write' && file !== undefined && file !== 'folder') {
      file.changes.push({ at, position: record.position, bytes: record.bytes })
    } else if (record.kind === 'truncate' && file !== undefined && file !== 'folder') {
      file.changes.push({ at, position: record.position, bytes: undefined })
    } else if (record.kind === 'writtenOut' && file !== undefined && file !== 'folder') {
      writtenOut.push({ file, at })
    } else if (record.kind === 'syncBegun') {
      begun.set(record.path, [...(begun.get(record.path) ?? []), at])
    } else if (record.kind === 'syncEnded') {
      const since = begun.get(record.path)?.shift()
      if (since === undefined) continue
      namesTo = Math.max(namesTo, since)
      if (file !== undefined && file !== 'folder') file.lastingTo = Math.max(file.lastingTo, since)
      for (const out of writtenOut) if (out.at < since) out.file.lastingTo = Math.max(out.file.lastingTo, out.at)
      writtenOut = writtenOut.filter((out) => out.at >= since)
    }
  }
  return { files, namesTo }
}

/** Returns the names after the first `upTo` records, with their files. */
function namesAt(records: readonly PowerRecord[], upTo: number, files: ReadonlyMap<number, File>): Names {
  const names: Names = new Map()
  for (const [at, record] of records.slice(0, upTo).entries()) apply(names, record, () => files.get(at) as File)
  return names
}

/** Applies a record to the names. */
function apply(names: Names, { kind, path, other }: PowerRecord, made: () => File): void {
  const known = names.get(path)
  if (kind === 'create') names.set(path, made())
  else if (kind === 'mkdir') names.set(path, 'folder')
  else if (kind === 'unlink' || kind === 'rmdir') names.delete(path)
  else if (kind === 'link' && known !== undefined) names.set(other, known)
  else if (kind === 'rename' && known !== undefined) {
    for (const [name, file] of [...names]) {
      if (name !== path && !name.startsWith(`${path}/`)) continue
      names.delete(name)
      names.set(other + name.slice(path.length), file)
    }
  }
}

function contentOf({ changes, lastingTo }: File): Buffer {
  let content = Buffer.alloc(0)
  let size = 0
  for (const { at, position, bytes } of changes) {
    if (at > lastingTo) break
    if (bytes === undefined) {
      if (position > content.length) content = grown(content, position)
      if (position > size) content.fill(0, size, position)
      size = position
      continue
    }
    const end = position + bytes.length
    if (end > content.length) content = grown(content, end)
    if (position > size) content.fill(0, size, position)
    bytes.copy(content, position)
    size = Math.max(size, end)
  }
  return content.subarray(0, size)
}

const grown = (content: Buffer, size: number): Buffer<ArrayBuffer> => {
  const larger = Buffer.alloc(Math.max(size, content.length * 2))
  content.copy(larger)
  return larger
}
