/** Replacement of a secret. */
const stars = '***'

/** Shorter texts and encodings are not masked: they would match by chance. In characters. */
const minLength = 3
const minEncodedLength = 6

/** Minimum length of a match that spans lines; shorter ones occur by chance. In characters. */
const minSplitLength = 8

/** Length of a secret's beginning at which a line waits for the next ones, in characters; and how many lines may wait. */
const minBegun = 4
const maxWaitingLines = 200

export interface MaskedLines {
  readonly lines: readonly string[]
  /** Number of last lines that may be the beginning of a secret; the caller should wait for the next ones. */
  readonly begun: number
}

/**
 * Masks secrets in lines: plain, in base64, percent-encoded, in JSON, as hexadecimal digits, and wrapped over lines. Time is
 * linear in the lines and independent of the number of secrets.
 */
export class Masks {
  /** Forms by their first three characters, the longest first. */
  readonly #byStart = new Map<number, string[]>()
  readonly #known = new Set<string>()

  constructor(secrets: Iterable<string> = []) {
    for (const secret of secrets) this.add(secret)
  }

  add(secret: string): void {
    for (const form of formsOf(secret)) {
      if (this.#known.has(form)) continue
      this.#known.add(form)
      const key = keyAt(form, 0)
      const others = this.#byStart.get(key) ?? []
      this.#byStart.set(
        key,
        [...others, form].toSorted((one, other) => other.length - one.length),
      )
    }
  }

  /** Returns a text with its secrets masked. */
  apply(text: string): string {
    return this.applyToLines([text]).lines[0] as string
  }

  /** Masks consecutive lines; a secret may span several. */
  applyToLines(lines: readonly string[]): MaskedLines {
    if (this.#byStart.size === 0) return { lines, begun: 0 }
    // Line ends inside a line are ignored: a wrapped secret is still the secret.
    const bare = lines.map((line) => (/[\r\n]/.test(line) ? line.replaceAll(/[\r\n]/g, '') : line))
    const flat = bare.join('')
    const starts: number[] = []
    let length = 0
    for (const line of bare) {
      starts.push(length)
      length += line.length
    }
    const { found, begunAt } = this.#search(flat, starts)
    const masked = found.length === 0 ? lines : maskLines(lines, starts, found)
    const first =
      begunAt === undefined
        ? lines.length
        : Math.max(
            0,
            starts.findLastIndex((start) => start <= begunAt),
          )
    const begun = lines.length - first
    return { lines: masked, begun: begun > maxWaitingLines ? 0 : begun }
  }

  #search(
    flat: string,
    starts: readonly number[],
  ): { found: (readonly [number, number])[]; begunAt: number | undefined } {
    const found: (readonly [number, number])[] = []
    let line = 0
    let coveredTo = 0
    let begunAt: number | undefined
    for (let at = 0; at + minLength <= flat.length; at++) {
      const forms = this.#byStart.get(keyAt(flat, at))
      if (!forms) continue
      while (line + 1 < starts.length && (starts[line + 1] as number) <= at) line++
      const lineEnd = starts[line + 1] ?? flat.length
      for (const form of forms) {
        const end = at + form.length
        if (end > flat.length) {
          const isBegun = form.length >= minSplitLength && flat.length - at >= minBegun
          if (isBegun && form.startsWith(flat.slice(at))) begunAt ??= at
        } else if ((end <= lineEnd || form.length >= minSplitLength) && flat.startsWith(form, at)) {
          if (end > coveredTo) {
            found.push([Math.max(at, coveredTo), end])
            coveredTo = end
          }
          break
        }
      }
    }
    return { found, begunAt }
  }
}

/** Returns a hash of three characters. */
const keyAt = (text: string, at: number): number =>
  (text.charCodeAt(at) * 65_599 + text.charCodeAt(at + 1)) * 65_599 + text.charCodeAt(at + 2)

/** Replaces each match by stars, in each of its lines. */
function maskLines(
  lines: readonly string[],
  starts: readonly number[],
  found: readonly (readonly [number, number])[],
): readonly string[] {
  const masked = [...lines]
  let at = 0
  for (const [index, line] of lines.entries()) {
    const start = starts[index] as number
    const end = starts[index + 1] ?? Number.POSITIVE_INFINITY
    while (at < found.length && (found[at] as readonly [number, number])[1] <= start) at++
    const own: (readonly [number, number])[] = []
    for (let next = at; next < found.length && (found[next] as readonly [number, number])[0] < end; next++) {
      own.push(found[next] as readonly [number, number])
    }
    if (own.length > 0) masked[index] = maskLine(line, start, own)
  }
  return masked
}

function maskLine(line: string, start: number, found: readonly (readonly [number, number])[]): string {
  let masked = ''
  let position = start
  let range = 0
  for (const character of line.split('')) {
    if (character === '\n' || character === '\r') {
      masked += character
      continue
    }
    while (range < found.length && (found[range] as readonly [number, number])[1] <= position) range++
    const [from, to] = found[range] ?? [Number.POSITIVE_INFINITY, 0]
    if (position < from || position >= to) masked += character
    else if (position === from || position === start) masked += stars
    position++
  }
  return masked
}

/** Returns the forms in which programs write a secret, without line ends. */
function formsOf(secret: string): readonly string[] {
  const whole = secret.replaceAll(/[\r\n]/g, '')
  if (whole.trim().length < minLength) return []
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim())
  const plain = [whole, whole.trim(), ...lines].filter((text) => text.length >= minLength)
  const texts = [...new Set([secret, secret.trim(), ...lines])].filter((text) => text.length >= minLength)
  const encoded = texts.flatMap((text) => {
    const percent = percentEncoded(text)
    const json = JSON.stringify(text).slice(1, -1)
    const hex = Buffer.from(text).toString('hex')
    return [
      percent,
      percent.replaceAll('%20', '+'),
      percent.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
      ...inCommands(text),
      json,
      JSON.stringify(json).slice(1, -1),
      hex,
      hex.toUpperCase(),
      ...base64Of(text),
    ]
  })
  return [...plain, ...encoded.filter((text) => text.length >= minEncodedLength)]
}

/** Returns a text as workflow commands encode it in their value and in their properties. */
function inCommands(text: string): readonly string[] {
  const value = text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  return [value, value.replaceAll(':', '%3A').replaceAll(',', '%2C')]
}

/** Lone surrogates are replaced, since they have no encoding. */
const percentEncoded = (text: string): string => encodeURIComponent(text.toWellFormed())

/** Returns the base64 digits that do not depend on the surrounding bytes, for each of the three alignments. */
function base64Of(text: string): readonly string[] {
  const bytes = Buffer.from(text)
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes])
    const first = Math.ceil((before * 8) / 6)
    const sure = padded.toString('base64').slice(first, Math.floor((padded.length * 8) / 6))
    return [sure, sure.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
