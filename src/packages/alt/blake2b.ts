const blockBytes = 128
const digestBytes = 32

/** Initial values, each as its lower and its upper half. Source of all of this: RFC 7693. */
const initial = [
  0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a, 0xade682d1,
  0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19,
]

/** Which words of a block a round mixes in, in hexadecimal; the last two rounds are the first two again. */
const orders = [
  '0123456789abcdef',
  'ea489fd61c02b753',
  'b8c052fdae367194',
  '7931dcbe265a40f8',
  '905724afe1bc683d',
  '2c6a0b834d75fe19',
  'c51fed4a0763928b',
  'db7ec13950f4862a',
  '6fe9b308c2d714a5',
  'a2847615fb9e3cd0',
].map((order) => Array.from(order, (digit) => Number.parseInt(digit, 16) * 2))
const rounds = [...orders, ...orders.slice(0, 2)]

/** Columns, then diagonals, of the state. */
const lanes = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
].map((lane) => lane.map((word) => word * 2) as [number, number, number, number])

/** BLAKE2b with 32 bytes, which the builtin library has with 64 alone. */
export class Blake2b256 {
  readonly #state = Uint32Array.from(initial)
  readonly #work = new Uint32Array(32)
  readonly #words = new Uint32Array(32)
  readonly #rest = Buffer.alloc(blockBytes)
  #restBytes = 0
  #hashedBytes = 0

  constructor() {
    this.#state[0] = (initial[0] as number) ^ 0x01010000 ^ digestBytes
  }

  update(content: Buffer): this {
    for (let at = 0; at < content.length;) {
      // The last block is marked as such, so one is kept back until it is known that more follows.
      if (this.#restBytes === blockBytes) this.#compress(false)
      const taken = content.copy(this.#rest, this.#restBytes, at)
      this.#restBytes += taken
      at += taken
    }
    return this
  }

  /** In hexadecimal; nothing can be added any more. */
  digest(): string {
    this.#rest.fill(0, this.#restBytes)
    this.#compress(true)
    const digest = Buffer.alloc(digestBytes)
    for (let at = 0; at < digestBytes / 4; at += 1) digest.writeUInt32LE(this.#state[at] as number, at * 4)
    return digest.toString('hex')
  }

  #compress(isLast: boolean): void {
    this.#hashedBytes += this.#restBytes
    this.#restBytes = 0
    const [state, work, words] = [this.#state, this.#work, this.#words]
    for (let at = 0; at < 32; at += 1) words[at] = this.#rest.readUInt32LE(at * 4)
    work.set(state)
    work.set(initial, 16)
    work[24] = (work[24] as number) ^ this.#hashedBytes
    work[25] = (work[25] as number) ^ Math.floor(this.#hashedBytes / 2 ** 32)
    if (isLast) {
      work[28] = ~(work[28] as number)
      work[29] = ~(work[29] as number)
    }
    for (const order of rounds) {
      for (const [at, lane] of lanes.entries()) {
        mix(work, lane, words, order[at * 2] as number, order[at * 2 + 1] as number)
      }
    }
    for (let at = 0; at < 16; at += 1) {
      state[at] = (state[at] as number) ^ (work[at] as number) ^ (work[at + 16] as number)
    }
  }
}

/** Adds to a word of 64 bits another one. */
function add(work: Uint32Array, to: number, from: Uint32Array, other: number): void {
  const low = (work[to] as number) + (from[other] as number)
  work[to] = low
  work[to + 1] = (work[to + 1] as number) + (from[other + 1] as number) + (low > 0xffffffff ? 1 : 0)
}

/** Mixes into a word another one and turns it right by so many bits. */
function turn(work: Uint32Array, to: number, other: number, bits: number): void {
  const low = (work[to] as number) ^ (work[other] as number)
  const high = (work[to + 1] as number) ^ (work[other + 1] as number)
  if (bits === 32) {
    work[to] = high
    work[to + 1] = low
  } else if (bits === 63) {
    work[to] = (low << 1) | (high >>> 31)
    work[to + 1] = (high << 1) | (low >>> 31)
  } else {
    work[to] = (low >>> bits) | (high << (32 - bits))
    work[to + 1] = (high >>> bits) | (low << (32 - bits))
  }
}

function mix(
  work: Uint32Array,
  [a, b, c, d]: readonly [number, number, number, number],
  words: Uint32Array,
  x: number,
  y: number,
): void {
  add(work, a, work, b)
  add(work, a, words, x)
  turn(work, d, a, 32)
  add(work, c, work, d)
  turn(work, b, c, 24)
  add(work, a, work, b)
  add(work, a, words, y)
  turn(work, d, a, 16)
  add(work, c, work, d)
  turn(work, b, c, 63)
}
