import uFuzzy from '@leeoniya/ufuzzy'

/** A path that matches, and where: start and end of each part, in pairs. */
export interface FoundFile {
  readonly path: string
  readonly ranges: readonly number[]
}

/** Letters may lie apart: `fnv` finds `find.view`. */
const apart = { intraIns: Infinity, intraChars: '.' }
const latin = new uFuzzy(apart)
/** For letters of other scripts; slower. */
const anyScript = new uFuzzy({
  ...apart,
  unicode: true,
  interSplit: "[^\\p{L}\\d']+",
  intraSplit: '\\p{Ll}\\p{Lu}',
  intraBound: '\\p{L}\\d|\\d\\p{L}|\\p{Ll}\\p{Lu}',
  intraContr: "'\\p{L}{1,2}\\b",
})

/** Paths that the library compares; of further ones, those with the best names are. */
const maxCompared = 400
/** Most words that are also found in another order. */
const maxOrderedWords = 4

/** Returns the words of a lower-case text as their letters and digits. */
const wordsOf = (lower: string): string[][] =>
  lower
    .split(/\s+/)
    .map((word): string[] => word.match(/[\p{L}\d]/gu) ?? [])
    .filter((letters) => letters.length > 0)

/** Whether a text has the letters in their order. */
function hasLetters(text: string, letters: readonly string[], from: number): boolean {
  let at = from
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return true
}

/**
 * Finds files by letters of their paths. The library takes a microsecond for each path, which is too long for 50,000, so it
 * compares only those that have the letters and the best names.
 */
export class FileMatcher {
  readonly #paths: readonly string[]
  readonly #lower: readonly string[]
  /** Where the names begin: after the last slash. */
  readonly #nameAt: Int32Array
  /** What the last search found, because most searches extend it. */
  #last: { readonly text: string; readonly indexes: readonly number[] } | undefined

  constructor(paths: readonly string[]) {
    this.#paths = paths
    this.#lower = paths.map((path) => path.toLowerCase())
    this.#nameAt = Int32Array.from(this.#lower, (path) => path.lastIndexOf('/') + 1)
  }

  /** Returns at most `limit` paths, best first. Paths with the words in another order follow. */
  find(typed: string, limit: number): FoundFile[] {
    const text = typed.trim()
    if (text === '') return this.#paths.slice(0, limit).map((path) => ({ path, ranges: [] }))
    const lower = text.toLowerCase()
    const words = wordsOf(lower)
    if (words.length === 0) return this.#findLiteral(text, limit)
    const indexes = this.#promising(lower, words, this.#candidates(lower, words))
    const fuzzy = /^[\0-\x7f]*$/.test(text) ? latin : anyScript
    // For the library, a hyphen before a word excludes it, and quotes ask for exact words.
    const plain = text.replaceAll(/["\s]+-*|^-+/g, ' ').trim()
    const found = this.#rank(fuzzy, plain, indexes)
    const ordered = plain.split(' ')
    if (found.size < limit && ordered.length > 1 && ordered.length <= maxOrderedWords) {
      for (const order of uFuzzy.permute(ordered)) {
        const others = indexes.filter((index) => !found.has(index))
        for (const [index, file] of this.#rank(fuzzy, order.join(' '), others)) found.set(index, file)
      }
    }
    return [...found.values()].slice(0, limit)
  }

  /** Returns the positions of paths that have the letters of each word. */
  #candidates(text: string, words: readonly string[][]): readonly number[] {
    const isLonger = this.#last !== undefined && text.startsWith(this.#last.text)
    const indexes: number[] = []
    const consider = (index: number): void => {
      for (const word of words) if (!hasLetters(this.#lower[index]!, word, 0)) return
      indexes.push(index)
    }
    if (isLonger) for (const index of this.#last!.indexes) consider(index)
    else for (let index = 0; index < this.#lower.length; index++) consider(index)
    this.#last = { text, indexes }
    return indexes
  }

  #findLiteral(text: string, limit: number): FoundFile[] {
    const found: FoundFile[] = []
    for (const path of this.#paths) {
      const at = path.indexOf(text)
      if (at >= 0 && found.push({ path, ranges: [at, at + text.length] }) === limit) break
    }
    return found
  }

  /** Returns the positions, in their order, of the names that begin with the text, contain it, have its letters, or are short. */
  #promising(text: string, words: readonly string[][], indexes: readonly number[]): readonly number[] {
    if (indexes.length <= maxCompared) return indexes
    const tiers: number[][] = [[], [], [], []]
    for (const index of indexes) {
      const nameAt = this.#nameAt[index]!
      const path = this.#lower[index]!
      const at = path.indexOf(text, nameAt)
      const hasAll = at >= 0 || words.every((word) => hasLetters(path, word, nameAt))
      tiers[at === nameAt ? 0 : at > 0 ? 1 : hasAll ? 2 : 3]!.push(index)
    }
    const best: number[] = []
    for (const tier of tiers) best.push(...this.#shortest(tier, maxCompared - best.length))
    return best.sort((one, other) => one - other)
  }

  /** Returns the positions of the shortest paths, by counting lengths: sorting all of them would take longer than a frame. */
  #shortest(indexes: readonly number[], limit: number): readonly number[] {
    if (indexes.length <= limit) return indexes
    if (limit === 0) return []
    const counts: number[] = []
    for (const index of indexes) {
      const { length } = this.#paths[index]!
      counts[length] = (counts[length] ?? 0) + 1
    }
    let longest = 0
    for (let sum = 0; sum < limit; longest++) sum += counts[longest] ?? 0
    return indexes.filter((index) => this.#paths[index]!.length < longest).slice(0, limit)
  }

  /** Returns the files that the library finds, by their positions, best first. */
  #rank(fuzzy: uFuzzy, text: string, indexes: readonly number[]): Map<number, FoundFile> {
    const scored: { readonly score: number; readonly index: number; readonly file: FoundFile }[] = []
    const compare = (texts: string[], among: readonly number[], isName: boolean): ReadonlySet<number> => {
      const matched = among.length === 0 ? null : fuzzy.filter(texts, text)
      if (matched === null || matched.length === 0) return new Set()
      const info = fuzzy.info(matched, texts, text)
      for (const [at, position] of info.idx.entries()) {
        const index = among[position]!
        const path = this.#paths[index]!
        const before = isName ? this.#nameAt[index]! : 0
        // Letters that lie apart cost most; whole words, words from their start, and names count for it.
        const score =
          4 * info.intraIns[at]! -
          6 * info.terms[at]! -
          3 * info.interLft2[at]! -
          (isName ? 10 : 0) -
          (isName && info.start[at] === 0 ? 6 : 0) +
          path.length / 20
        scored.push({ score, index, file: { path, ranges: info.ranges[at]!.map((each) => each + before) } })
      }
      return new Set(info.idx.map((position) => among[position]!))
    }
    const named = compare(
      indexes.map((index) => this.#paths[index]!.slice(this.#nameAt[index])),
      indexes,
      true,
    )
    const others = indexes.filter((index) => !named.has(index))
    compare(
      others.map((index) => this.#paths[index]!),
      others,
      false,
    )
    scored.sort((one, other) => one.score - other.score)
    return new Map(scored.map(({ index, file }) => [index, file]))
  }
}
