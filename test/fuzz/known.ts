/** The newest values of one kind. */
const mostOfAKind = 40

/** Depth of an answer that is searched for values, and items of a list. */
const deepest = 6
const mostItems = 10

/** The repository, organization or account of an address. */
const holderPath = (path: string): string =>
  /^(?:\/api\/v1)?\/(?:repos\/[^/]+\/[^/]+|orgs\/[^/?]+)/.exec(path)?.[0].replace(/^\/api\/v1/, '') ?? ''

/** Ids, names and hashes from the server's answers, by member, list, and repository or organization. */
export class Known {
  readonly #values = new Map<string, (string | number)[]>()

  of(kind: string): readonly (string | number)[] {
    return this.#values.get(kind) ?? []
  }

  note(kind: string, value: string | number): void {
    const values = this.#values.get(kind) ?? []
    if (values.includes(value)) return
    values.push(value)
    if (values.length > mostOfAKind) values.shift()
    this.#values.set(kind, values)
  }

  /** Collects the values of an answer. `path` is the address; its last word says what its ids identify. */
  harvest(path: string, answer: unknown): void {
    const words = path.split('?')[0]?.split('/') ?? []
    this.#look(words.findLast((word) => /^[a-z][a-z_-]+$/.test(word)) ?? '', holderPath(path), answer, 0)
  }

  #look(of: string, holderPath: string, value: unknown, depth: number): void {
    if (depth > deepest || typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) {
      for (const item of value.slice(0, mostItems)) this.#look(of, holderPath, item, depth + 1)
      return
    }
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === 'number' || (typeof member === 'string' && member !== '' && member.length < 200)) {
        this.note(name, member)
        this.note(`${of} ${name}`, member)
        this.note(`${holderPath} ${of} ${name}`, member)
      } else {
        this.#look(Array.isArray(member) ? name : of, holderPath, member, depth + 1)
      }
    }
  }
}
