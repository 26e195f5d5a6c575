// Unpackers on npm: seek-bzip and unbzip2-stream loop for ever on a run whose length overflows 31 bits, which an uploaded
// archive may contain; @foxglove/wasm-bz2 returns nothing for a file that is cut off.
import { nextCrc } from './bzip2-crc.ts'

const blockMagic = 0x314159265359
const endMagic = 0x177245385090
/** Number of symbols that share one code table. */
const groupSize = 50
const maxCodeBits = 20

const broken = (why: string) => new Error(`not a bzip2 file: ${why}`)

class BitReader {
  readonly #bytes: Uint8Array
  #at = 0
  #held = 0
  #count = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  bit(): number {
    if (this.#count === 0) {
      const byte = this.#bytes[this.#at]
      if (byte === undefined) throw broken('it ends too early')
      this.#at += 1
      this.#held = byte
      this.#count = 8
    }
    this.#count -= 1
    return (this.#held >>> this.#count) & 1
  }

  bits(count: number): number {
    let value = 0
    for (let index = 0; index < count; index += 1) value = value * 2 + this.bit()
    return value
  }

  /** Skips to the next whole byte; returns whether there is one. */
  align(): boolean {
    this.#count = 0
    return this.#at < this.#bytes.length
  }
}

/** Canonical Huffman codes: the first code and the number of codes of each length, and the symbols by code. */
interface Codes {
  readonly first: Int32Array
  readonly counts: Int32Array
  readonly symbols: Uint16Array
}

function codesOf(lengths: readonly number[]): Codes {
  const counts = new Int32Array(maxCodeBits + 1)
  for (const length of lengths) counts[length] = (counts[length] as number) + 1
  const first = new Int32Array(maxCodeBits + 2)
  for (let length = 1; length <= maxCodeBits; length += 1) {
    first[length + 1] = ((first[length] as number) + (counts[length] as number)) << 1
  }
  const symbols = Uint16Array.from(
    lengths
      .map((length, symbol) => ({ length, symbol }))
      .toSorted((one, other) => one.length - other.length || one.symbol - other.symbol)
      .map(({ symbol }) => symbol),
  )
  return { first, counts, symbols }
}

function readSymbol(reader: BitReader, { first, counts, symbols }: Codes): number {
  let code = 0
  let before = 0
  for (let length = 1; length <= maxCodeBits; length += 1) {
    code = code * 2 + reader.bit()
    const offset = code - (first[length] as number)
    const count = counts[length] as number
    if (offset >= 0 && offset < count) return symbols[before + offset] as number
    before += count
  }
  throw broken('a code is unknown')
}

function readUsed(reader: BitReader): number[] {
  const rows = reader.bits(16)
  const used: number[] = []
  for (let row = 0; row < 16; row += 1) {
    if (!(rows & (0x8000 >> row))) continue
    const cells = reader.bits(16)
    for (let cell = 0; cell < 16; cell += 1) if (cells & (0x8000 >> cell)) used.push(row * 16 + cell)
  }
  if (used.length === 0) throw broken('a block has no bytes')
  return used
}

function readSelectors(reader: BitReader, tables: number): Uint8Array {
  const selectors = new Uint8Array(reader.bits(15))
  if (selectors.length === 0) throw broken('a block has no selectors')
  const order = Array.from({ length: tables }, (_, index) => index)
  for (let index = 0; index < selectors.length; index += 1) {
    let position = 0
    while (reader.bit() === 1) {
      position += 1
      if (position >= tables) throw broken('a selector is unknown')
    }
    const [table = 0] = order.splice(position, 1)
    order.unshift(table)
    selectors[index] = table
  }
  return selectors
}

function readLengths(reader: BitReader, symbols: number): number[] {
  const lengths: number[] = []
  let length = reader.bits(5)
  for (let symbol = 0; symbol < symbols; symbol += 1) {
    while (reader.bit() === 1) length += reader.bit() === 1 ? -1 : 1
    if (length < 1 || length > maxCodeBits) throw broken('a code is too long')
    lengths.push(length)
  }
  return lengths
}

/** Reads the last column of a block's sorted rotations. */
function readColumn(reader: BitReader, maxBytes: number): Uint8Array {
  const order = readUsed(reader)
  const endSymbol = order.length + 1
  const tables = reader.bits(3)
  if (tables < 2 || tables > 6) throw broken('the number of tables is wrong')
  const selectors = readSelectors(reader, tables)
  const codes = Array.from({ length: tables }, () => codesOf(readLengths(reader, order.length + 2)))
  const column = new Uint8Array(maxBytes)
  let size = 0
  let run = 0
  let weight = 1
  for (let count = 0; ; count += 1) {
    const table = codes[selectors[Math.floor(count / groupSize)] ?? -1]
    if (!table) throw broken('a block has too few selectors')
    const symbol = readSymbol(reader, table)
    if (symbol <= 1) {
      run += weight * (symbol + 1)
      weight *= 2
      if (run > maxBytes) throw broken('a block is too large')
      continue
    }
    if (run > 0) {
      if (size + run > maxBytes) throw broken('a block is too large')
      column.fill(order[0] as number, size, size + run)
      size += run
      run = 0
      weight = 1
    }
    if (symbol === endSymbol) return column.subarray(0, size)
    if (size >= maxBytes) throw broken('a block is too large')
    const [byte = 0] = order.splice(symbol - 1, 1)
    order.unshift(byte)
    column[size++] = byte
  }
}

/** Inverts the Burrows-Wheeler transform. */
function unsorted(column: Uint8Array, origin: number): Uint8Array {
  if (origin >= column.length) throw broken('a block has an origin outside of itself')
  const starts = new Uint32Array(257)
  for (const byte of column) starts[byte + 1] = (starts[byte + 1] as number) + 1
  for (let byte = 0; byte < 256; byte += 1) starts[byte + 1] = (starts[byte + 1] as number) + (starts[byte] as number)
  const next = new Uint32Array(column.length)
  for (let index = 0; index < column.length; index += 1) {
    const byte = column[index] as number
    next[starts[byte] as number] = index
    starts[byte] = (starts[byte] as number) + 1
  }
  const text = new Uint8Array(column.length)
  let at = next[origin] as number
  for (let index = 0; index < text.length; index += 1) {
    text[index] = column[at] as number
    at = next[at] as number
  }
  return text
}

/** Expands runs, four equal bytes and a count, and yields parts of bounded size. */
function* withRuns(text: Uint8Array, wantedCrc: number): Generator<Buffer> {
  const part = Buffer.alloc(1 << 18)
  let size = 0
  let crc = 0xffffffff
  let last = -1
  let equal = 0
  for (const byte of text) {
    const times = equal === 4 ? byte : 1
    const value = equal === 4 ? last : byte
    equal = equal === 4 ? 0 : byte === last ? equal + 1 : 1
    last = equal > 0 ? byte : -1
    for (let index = 0; index < times; index += 1) {
      part[size++] = value
      crc = nextCrc(crc, value)
    }
    if (size > part.length - 256) {
      yield Buffer.from(part.subarray(0, size))
      size = 0
    }
  }
  if ((crc ^ 0xffffffff) >>> 0 !== wantedCrc) throw broken('a checksum is wrong')
  yield Buffer.from(part.subarray(0, size))
}

/** Unpacks a file part by part. Throws where it is broken or ends too early; the parts before are good. Source: bzip2 1.0. */
export function* unpackBzip2(packed: Uint8Array): Generator<Buffer> {
  const reader = new BitReader(packed)
  do {
    if (reader.bits(24) !== 0x425a68) throw broken('the magic number is missing')
    const level = reader.bits(8) - 0x30
    if (level < 1 || level > 9) throw broken('the level is unknown')
    for (;;) {
      const magic = reader.bits(48)
      if (magic === endMagic) break
      if (magic !== blockMagic) throw broken('a block has an unknown magic number')
      const crc = reader.bits(32)
      if (reader.bit() === 1) throw broken('a block is randomized')
      const origin = reader.bits(24)
      yield* withRuns(unsorted(readColumn(reader, level * 100_000), origin), crc)
    }
    reader.bits(32)
  } while (reader.align())
}
