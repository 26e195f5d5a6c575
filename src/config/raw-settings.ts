/** Where a value came from: `where` is for people (`app.ini line 3`, a variable, an option). */
export interface Origin {
  readonly where: string
  readonly file?: string
  readonly line?: number
}

/** A given value as text. */
export interface RawValue {
  /** The key as it was written; git's own keys are mixed case. */
  readonly key: string
  readonly text: string
  readonly isInterpolated: boolean
  readonly origin: Origin
}

/** The text that a declared setting has when nobody gives one. */
export type DefaultText = (section: string, key: string) => string | undefined

export class InterpolationError extends Error {}

/** Everything that was given, by section (lower case) and key (upper case); what is set later wins. */
export class RawSettings {
  readonly #sections = new Map<string, Map<string, RawValue>>()

  set(section: string, value: RawValue): void {
    const keys = this.#sections.get(section) ?? new Map<string, RawValue>()
    keys.set(value.key.toUpperCase(), value)
    this.#sections.set(section, keys)
  }

  /** The value given for exactly this section. */
  own(section: string, key: string): RawValue | undefined {
    return this.#sections.get(section)?.get(key)
  }

  /** The value given for this section or, as in the family's files, for one that it lies below (`a.b` below `a`). */
  find(section: string, key: string): RawValue | undefined {
    for (let name = section; name !== ''; name = name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : '') {
      const value = this.own(name, key)
      if (value !== undefined) return value
    }
    return section === '' ? this.own('', key) : undefined
  }

  names(): string[] {
    return [...this.#sections.keys()]
  }

  keys(section: string): RawValue[] {
    return [...(this.#sections.get(section)?.values() ?? [])]
  }

  /**
   * Replaces each `%(KEY)s` by the value of KEY in the same section, in one above it, at the top or in `[server]`; a
   * declared default counts. Throws InterpolationError for a key without a value and for a circle.
   */
  interpolate(section: string, value: string, defaultText: DefaultText, visited: readonly string[] = []): string {
    return value.replace(/%\(([^)]+)\)s/g, (_, name: string) => {
      const key = name.toUpperCase()
      const path = [...visited, `${section}.${key}`]
      if (visited.includes(`${section}.${key}`) || path.length > 20) {
        throw new InterpolationError(`%(${name})s refers to itself`)
      }
      for (const scope of [section, '', 'server']) {
        const given = this.find(scope, key)
        if (given !== undefined) {
          return given.isInterpolated ? this.interpolate(scope, given.text, defaultText, path) : given.text
        }
        const text = defaultText(scope, key)
        if (text !== undefined) return this.interpolate(scope, text, defaultText, path)
      }
      throw new InterpolationError(`%(${name})s has no value`)
    })
  }
}
