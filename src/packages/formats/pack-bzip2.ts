// Packers on npm: compressjs is GPL, bzip-deflate is CC-SA, libbzip2-wasm had one release and no maintainer.
import { nextCrc } from './bzip2-crc.ts'

/** Most bytes of a packed block: sorting more at once takes longer than it saves. */
const blockBytes = 100_000 - 19
/** Number of symbols that share one code table. */
const groupSize = 50

class BitWriter {
  readonly #bytes: number[] = []
  #held = 0
  #count = 0

  /** Writes the lower bits of a value, at most 24 of them. */
  bits(value: number, count: number): void {
    this.#held = (this.#held << count) | value
    this.#count += count
    while (this.#count >= 8) {
      this.#count -= 8
      this.#bytes.push((this.#held >>> this.#count) & 0xff)
    }
    this.#held &= 0xff
  }

  word(value: number): void {
    this.bits(value >>> 16, 16)
    this.bits(value & 0xffff, 16)
  }

  end(): Buffer {
    if (this.#count > 0) this.bits(0, 8 - this.#count)
    return Buffer.from(this.#bytes)
  }
}

/** Returns indexes in the order of their keys; indexes with one key stay in the order of `indexes`. */
function sortedByKey(indexes: Uint32Array, keys: Uint32Array, maxKey: number): Uint32Array {
  const starts = new Uint32Array(maxKey + 2)
  for (const key of keys) starts[key + 1] = (starts[key + 1] as number) + 1
  for (let key = 0; key <= maxKey; key += 1) starts[key + 1] = (starts[key + 1] as number) + (starts[key] as number)
  const sorted = new Uint32Array(indexes.length)
  for (const index of indexes) {
    const key = keys[index] as number
    sorted[starts[key] as number] = index
    starts[key] = (starts[key] as number) + 1
  }
  return sorted
}

/**
 * Sorts the rotations of a text. The compared length doubles each round, so repetitive text costs no more than other
 * text.
 */
function sortedRotations(text: Uint8Array): Uint32Array {
  const size = text.length
  let ranks = Uint32Array.from(text)
  let order = sortedByKey(Uint32Array.from(text.keys()), ranks, 255)
  for (let length = 1; length < size; length *= 2) {
    const shifted = order.map((index) => (index - length + size) % size)
    order = sortedByKey(shifted, ranks, Math.max(255, size))
    const next = new Uint32Array(size)
    let rank = 0
    for (let at = 1; at < size; at += 1) {
      const [one, other] = [order[at - 1] as number, order[at] as number]
      const isSame = ranks[one] === ranks[other] && ranks[(one + length) % size] === ranks[(other + length) % size]
      if (!isSame) rank += 1
      next[other] = rank
    }
    ranks = next
    if (rank === size - 1) break
  }
  return order
}

/** The symbols of a block: move-to-front positions, runs of position 0 as digits, and the end symbol. */
function symbolsOf(column: Uint8Array, used: readonly number[]): number[] {
  const order = [...used]
  const symbols: number[] = []
  let run = 0
  const endRun = () => {
    for (; run > 0; run = Math.floor((run - 1) / 2)) symbols.push(run % 2 === 1 ? 0 : 1)
  }
  for (const byte of column) {
    const position = order.indexOf(byte)
    if (position === 0) {
      run += 1
      continue
    }
    endRun()
    order.splice(position, 1)
    order.unshift(byte)
    symbols.push(position + 1)
  }
  endRun()
  symbols.push(used.length + 1)
  return symbols
}

function writeBlock(writer: BitWriter, text: Uint8Array, crc: number): void {
  const order = sortedRotations(text)
  const column = Uint8Array.from(order, (index) => text[(index + text.length - 1) % text.length] as number)
  writer.bits(0x314159, 24)
  writer.bits(0x265359, 24)
  writer.word(crc)
  writer.bits(0, 1)
  writer.bits(order.indexOf(0), 24)
  const used = [...new Set(text)].toSorted((one, other) => one - other)
  const rows = Array.from({ length: 16 }, (_, row) => used.filter((byte) => byte >> 4 === row))
  for (const row of rows) writer.bits(row.length > 0 ? 1 : 0, 1)
  for (const row of rows.filter((each) => each.length > 0)) {
    for (let cell = 0; cell < 16; cell += 1) writer.bits(row.some((byte) => (byte & 15) === cell) ? 1 : 0, 1)
  }
  const symbols = symbolsOf(column, used)
  const selectors = Math.ceil(symbols.length / groupSize)
  // The format wants two tables at least; all groups use the first one.
  writer.bits(2, 3)
  writer.bits(selectors, 15)
  for (let group = 0; group < selectors; group += 1) writer.bits(0, 1)
  // Codes of one length are their symbols' numbers. Huffman codes would save a third of the file.
  const codeBits = Math.ceil(Math.log2(used.length + 2))
  for (let table = 0; table < 2; table += 1) {
    writer.bits(codeBits, 5)
    for (let symbol = 0; symbol < used.length + 2; symbol += 1) writer.bits(0, 1)
  }
  for (const symbol of symbols) writer.bits(symbol, codeBits)
}

/** Packs a content. Source: bzip2 1.0, blocks of rotations sorted after Burrows and Wheeler. */
export function packBzip2(content: Uint8Array): Buffer {
  const writer = new BitWriter()
  writer.word(0x425a6839)
  let total = 0
  for (let at = 0; at < content.length;) {
    const text: number[] = []
    let crc = 0xffffffff
    while (at < content.length && text.length < blockBytes) {
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
  writer.bits(0x177245, 24)
  writer.bits(0x385090, 24)
  writer.word(total)
  return writer.end()
}
