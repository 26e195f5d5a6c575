/** The origin of a value. `where` is for messages: `app.ini line 3`, a variable or an option. */
export interface Origin {
  readonly where: string
  readonly file?: string
  readonly line?: number
}

/** The text of a configured value. */
export interface RawValue {
  /** The key as written; the keys of `[git.config]` are case-sensitive. */
  readonly key: string
  readonly text: string
  readonly isInterpolated: boolean
  readonly origin: Origin
}

/** Returns the default text of a declared setting. */
export type DefaultText = (section: string, key: string) => string | undefined

export class InterpolationError extends Error {}

/** All configured values, by section (lower case) and key (upper case). A later value replaces an earlier one. */
export class RawSettings {
  readonly #sections = new Map<string, Map<string, RawValue>>()

  set(section: string, value: RawValue): void {
    const keys = this.#sections.get(section) ?? new Map<string, RawValue>()
    keys.set(value.key.toUpperCase(), value)
    this.#sections.set(section, keys)
  }

  /** Returns the value of exactly this section. */
  own(section: string, key: string): RawValue | undefined {
    return this.#sections.get(section)?.get(key)
  }

  /**
   * Returns the value of this section or of its nearest parent section (`a` is the parent of `a.b`), as the family
   * does.
   */
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
   * Replaces each `%(KEY)s` by the value of KEY: from the same section, a parent section, the top level or `[server]`,
   * or a declared default. Throws InterpolationError for a key without a value and for a cycle.
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
