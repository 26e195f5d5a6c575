import { gzipSync } from 'node:zlib'
import { digest } from '../packages.test-support.ts'
import { binaryEntry, numberEntry, rpmType, textEntry, writeHeader, type RpmEntry } from './rpm-header.ts'

interface RpmOptions {
  readonly release?: string
  readonly architecture?: string
  readonly epoch?: number
  readonly more?: readonly RpmEntry[]
  /** Replaces the right digest. */
  readonly signatures?: readonly RpmEntry[]
  readonly payload?: Buffer
}

const one = (tag: number, text: string): RpmEntry => textEntry(tag, [text], rpmType.string)

/** Makes an RPM package. */
export function rpmOf(name: string, version: string, options: RpmOptions = {}): Buffer {
  const { release = '1', architecture = 'noarch', epoch, more = [], payload = gzipSync('nothing') } = options
  const header = writeHeader(
    [
      one(1000, name),
      one(1001, version),
      one(1002, release),
      ...(epoch === undefined ? [] : [numberEntry(1003, [epoch])]),
      textEntry(1004, ['A small package'], rpmType.translated),
      textEntry(1005, ['It does <nothing>\u0001 & more'], rpmType.translated),
      numberEntry(1006, [1_577_934_245]),
      one(1014, 'MIT'),
      one(1022, architecture),
      one(1044, `${name}-${version}-${release}.src.rpm`),
      textEntry(1047, [name]),
      numberEntry(1112, [8]),
      textEntry(1113, [`${epoch ?? 0}:${version}-${release}`]),
      textEntry(1049, ['/bin/sh', 'rpmlib(CompressedFileNames)', 'libc']),
      numberEntry(1048, [0x200, 0x1000008, 12]),
      textEntry(1050, ['', '3.0', '2.30']),
      numberEntry(1116, [0, 1, 2]),
      textEntry(1117, [name, 'share', `${name}.conf`]),
      textEntry(1118, ['/usr/bin/', '/usr/', '/etc/']),
      numberEntry(1037, [0, 0, 64]),
      { tag: 1030, type: rpmType.int16, count: 3, data: Buffer.from([0x81, 0xed, 0x41, 0xed, 0x81, 0xa4]) },
      numberEntry(1080, [1_577_934_000]),
      textEntry(1081, ['A <a@example.com>']),
      textEntry(1082, ['- first']),
      ...more,
    ],
    63,
  )
  const signatures = writeHeader(
    options.signatures ?? [
      numberEntry(1000, [header.length + payload.length]),
      binaryEntry(1004, Buffer.from(digest('md5', Buffer.concat([header, payload])), 'hex')),
      one(269, digest('sha1', header)),
    ],
    62,
  )
  const lead = Buffer.alloc(96)
  lead.set([0xed, 0xab, 0xee, 0xdb, 3, 0, 0, 0, 0, 1])
  lead.write(`${name}-${version}-${release}`, 10, 65)
  lead.writeUInt16BE(1, 76)
  lead.writeUInt16BE(5, 78)
  return Buffer.concat([lead, signatures, Buffer.alloc((8 - (signatures.length % 8)) % 8), header, payload])
}
