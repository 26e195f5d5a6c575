// Source: the format of bzip2 1.0, blocks of sorted text (Burrows and Wheeler), moved to front, in Huffman codes.

const blockMagic = 0x314159265359
const endMagic = 0x177245385090
/** Symbols that share one table. */
const groupSize = 50
/** Longest code that is read, in bits, and longest that is written. */
const maxCodeBits = 20
const maxWrittenBits = 17
/** Most bytes of a block that is written; sorting more at once takes longer than it saves. */
const writtenBlockBytes = 100_000 - 19

const broken = (why: string) => new Error(`this is no bzip2 file: ${why}`)

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index << 24
  for (let bit = 0; bit < 8; bit += 1) value = value & 0x80000000 ? (value << 1) ^ 0x04c11db7 : value << 1
  return value >>> 0
})

const nextCrc = (crc: number, byte: number): number => ((crc << 8) ^ (crcTable[(crc >>> 24) ^ byte] as number)) >>> 0

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

  /** Goes to the next whole byte; whether there is one. */
  align(): boolean {
    this.#count = 0
    return this.#at < this.#bytes.length
  }
}

/** Codes of one table, by their length: the first one, how many there are, and the symbols in their order. */
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
    const place = code - (first[length] as number)
    const count = counts[length] as number
    if (place >= 0 && place < count) return symbols[before + place] as number
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
    let place = 0
    while (reader.bit() === 1) {
      place += 1
      if (place >= tables) throw broken('a selector is unknown')
    }
    const [table = 0] = order.splice(place, 1)
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

/** The last column of a block's sorted rotations. */
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
    if (!table) throw broken('a block goes on without a table')
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

/** Follows the rotations back to the text that was sorted. */
function unsorted(column: Uint8Array, origin: number): Uint8Array {
  if (origin >= column.length) throw broken('a block begins nowhere')
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

/** Four equal bytes are followed by how many more there are. Gives parts of bounded size. */
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

/** Unpacks a file part by part. Throws where it is broken or ends too early; what came before is good. */
export function* unpackBzip2(packed: Uint8Array): Generator<Buffer> {
  const reader = new BitReader(packed)
  do {
    if (reader.bits(24) !== 0x425a68) throw broken('it begins otherwise')
    const level = reader.bits(8) - 0x30
    if (level < 1 || level > 9) throw broken('its level is unknown')
    for (;;) {
      const magic = reader.bits(48)
      if (magic === endMagic) break
      if (magic !== blockMagic) throw broken('a block begins otherwise')
      const crc = reader.bits(32)
      if (reader.bit() === 1) throw broken('a block is of an old form')
      const origin = reader.bits(24)
      yield* withRuns(unsorted(readColumn(reader, level * 100_000), origin), crc)
    }
    reader.bits(32)
  } while (reader.align())
}

class BitWriter {
  readonly #bytes: number[] = []
  #held = 0
  #count = 0

  bits(value: number, count: number): void {
    for (let index = count - 1; index >= 0; index -= 1) {
      this.#held = (this.#held << 1) | (Math.floor(value / 2 ** index) & 1)
      this.#count += 1
      if (this.#count === 8) {
        this.#bytes.push(this.#held)
        this.#held = 0
        this.#count = 0
      }
    }
  }

  end(): Buffer {
    while (this.#count > 0) this.bits(0, 1)
    return Buffer.from(this.#bytes)
  }
}

/** Order of the rotations of a text, by doubling the length that they are compared by. */
function sortedRotations(text: Uint8Array): Uint32Array {
  const size = text.length
  let ranks: Uint32Array = Uint32Array.from(text)
  let order: Uint32Array = new Uint32Array(size)
  const byKey = (keys: Uint32Array, from: Uint32Array, range: number): Uint32Array => {
    const starts = new Uint32Array(range + 1)
    for (let index = 0; index < size; index += 1) {
      const key = (keys[index] as number) + 1
      starts[key] = (starts[key] as number) + 1
    }
    for (let key = 0; key < range; key += 1) starts[key + 1] = (starts[key + 1] as number) + (starts[key] as number)
    const sorted = new Uint32Array(size)
    for (const index of from) {
      const key = keys[index] as number
      sorted[starts[key] as number] = index
      starts[key] = (starts[key] as number) + 1
    }
    return sorted
  }
  order = byKey(
    ranks,
    Uint32Array.from({ length: size }, (_, index) => index),
    256,
  )
  for (let length = 1, range = Math.max(256, size); ; length *= 2) {
    const shifted = order.map((index) => (index - length + size * Math.ceil(length / size)) % size)
    order = byKey(ranks, length === 1 && size === 1 ? order : shifted, range)
    const fresh = new Uint32Array(size)
    let rank = 0
    for (let index = 1; index < size; index += 1) {
      const [one, other] = [order[index - 1] as number, order[index] as number]
      const isSame = ranks[one] === ranks[other] && ranks[(one + length) % size] === ranks[(other + length) % size]
      if (!isSame) rank += 1
      fresh[other] = rank
    }
    ranks = fresh
    if (rank === size - 1 || length >= size) return order
  }
}

/** Lengths of codes for symbols by how often they come, none longer than may be written. */
function lengthsFor(counts: readonly number[]): number[] {
  for (let weights = counts.map((count) => Math.max(1, count)); ;) {
    const parents: number[] = []
    const nodes = weights.map((weight, id) => ({ weight, id }))
    let id = nodes.length
    while (nodes.length > 1) {
      nodes.sort((one, other) => other.weight - one.weight || other.id - one.id)
      const [one, other] = [nodes.pop(), nodes.pop()]
      if (!one || !other) break
      parents[one.id] = id
      parents[other.id] = id
      nodes.push({ weight: one.weight + other.weight, id })
      id += 1
    }
    const depths: number[] = []
    depths[id - 1] = 0
    for (let node = id - 2; node >= 0; node -= 1) depths[node] = (depths[parents[node] as number] as number) + 1
    const lengths = depths.slice(0, weights.length)
    if (lengths.every((length) => length <= maxWrittenBits)) return lengths
    weights = weights.map((weight) => Math.floor(weight / 2) + 1)
  }
}

/** Symbols of a column: moved to front, runs of the first in two digits. */
function symbolsOf(column: Uint8Array, used: readonly number[]): number[] {
  const order = [...used]
  const symbols: number[] = []
  let run = 0
  const endRun = () => {
    for (; run > 0; run = Math.floor((run - 1) / 2)) symbols.push(run % 2 === 1 ? 0 : 1)
  }
  for (const byte of column) {
    const place = order.indexOf(byte)
    if (place === 0) {
      run += 1
      continue
    }
    endRun()
    order.splice(place, 1)
    order.unshift(byte)
    symbols.push(place + 1)
  }
  endRun()
  symbols.push(used.length + 1)
  return symbols
}

function writeBlock(writer: BitWriter, text: Uint8Array, crc: number): void {
  const order = sortedRotations(text)
  const column = Uint8Array.from(order, (index) => text[(index + text.length - 1) % text.length] as number)
  writer.bits(blockMagic, 48)
  writer.bits(crc, 32)
  writer.bits(0, 1)
  writer.bits(order.indexOf(0), 24)
  const used = [...new Set(text)].toSorted((one, other) => one - other)
  const rows = Array.from({ length: 16 }, (_, row) => used.filter((byte) => byte >> 4 === row))
  for (const row of rows) writer.bits(row.length > 0 ? 1 : 0, 1)
  for (const row of rows.filter((each) => each.length > 0)) {
    for (let cell = 0; cell < 16; cell += 1) writer.bits(row.some((byte) => (byte & 15) === cell) ? 1 : 0, 1)
  }
  const symbols = symbolsOf(column, used)
  const counts = Array.from({ length: used.length + 2 }, () => 0)
  for (const symbol of symbols) counts[symbol] = (counts[symbol] as number) + 1
  const lengths = lengthsFor(counts)
  const selectors = Math.ceil(symbols.length / groupSize)
  // Two tables are the fewest there may be; both are the same.
  writer.bits(2, 3)
  writer.bits(selectors, 15)
  for (let index = 0; index < selectors; index += 1) writer.bits(0, 1)
  for (let table = 0; table < 2; table += 1) {
    let current = lengths[0] as number
    writer.bits(current, 5)
    for (const length of lengths) {
      for (; current < length; current += 1) writer.bits(2, 2)
      for (; current > length; current -= 1) writer.bits(3, 2)
      writer.bits(0, 1)
    }
  }
  const { first, symbols: ordered } = codesOf(lengths)
  const codes: number[] = []
  const given = new Int32Array(maxCodeBits + 1)
  for (const symbol of ordered) {
    const length = lengths[symbol] as number
    codes[symbol] = (first[length] as number) + (given[length] as number)
    given[length] = (given[length] as number) + 1
  }
  for (const symbol of symbols) writer.bits(codes[symbol] as number, lengths[symbol] as number)
}

/** Packs a content. */
export function packBzip2(content: Uint8Array): Buffer {
  const writer = new BitWriter()
  writer.bits(0x425a6839, 32)
  let total = 0
  for (let at = 0; at < content.length;) {
    const text: number[] = []
    let crc = 0xffffffff
    while (at < content.length && text.length < writtenBlockBytes) {
      const byte = content[at] as number
      let run = 1
      while (run < 255 && content[at + run] === byte) run += 1
      for (let index = 0; index < run; index += 1) crc = nextCrc(crc, byte)
      for (let index = 0; index < Math.min(run, 4); index += 1) text.push(byte)
      if (run >= 4) text.push(run - 4)
      at += run
    }
    const checksum = (crc ^ 0xffffffff) >>> 0
    total = (((total << 1) | (total >>> 31)) ^ checksum) >>> 0
    writeBlock(writer, Uint8Array.from(text), checksum)
  }
  writer.bits(endMagic, 48)
  writer.bits(total, 32)
  return writer.end()
}
