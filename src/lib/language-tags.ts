import { cacheOf } from './cache.ts'

/** Most languages of a header that are read. */
const mostAccepted = 32

/** Longest tag that is remembered, in characters. */
const longestKept = 35

/** Returns a tag with `-`, as `Intl` knows it; undefined when it is no tag. */
function localeOf(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag.trim().replaceAll('_', '-'))
  } catch (error) {
    if (Error.isError(error) && error.name === 'RangeError') return undefined
    throw error
  }
}

/** What a tag says about a language. */
interface Written {
  readonly language: string
  readonly script: string
  /** The tag names neither a script nor a region. */
  readonly isBare: boolean
}

const unknown: Written = { language: '', script: '', isBare: false }

// Reading a tag takes 10 µs, and requests name the same ones.
const known = cacheOf<string, Written>(500)

/** Returns what a reader of a tag must know; `unknown` when it is no tag. */
function writtenAs(tag: string): Written {
  const found = known.get(tag)
  if (found) return found
  const locale = localeOf(tag)
  const { language, script = '' } = locale?.maximize() ?? unknown
  const isBare = locale !== undefined && locale.script === undefined && locale.region === undefined
  const written = { language, script, isBare }
  if (tag.length <= longestKept) known.set(tag, written)
  return written
}

/**
 * Returns the language that people who asked for a tag can read: the same language in the same script, so that `de-AT` is `de`,
 * and `zh-TW`, which is written in traditional characters, is not `zh-Hans`.
 * @param available tags of languages
 */
export function matchLanguage(tag: string, available: Iterable<string>): string | undefined {
  const { language, script } = writtenAs(tag)
  if (language === '') return undefined
  for (const each of available) {
    const other = writtenAs(each)
    if (other.language === language && other.script === script) return each
  }
  return undefined
}

/**
 * Returns the tags of an `Accept-Language` header, the preferred first. Browsers add the bare language to one with a region (`zh-TW, zh`):
 * it means the script of the tag before it.
 */
export function acceptedLanguages(header: string): string[] {
  const ranges = header
    .split(',', mostAccepted)
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return { tag, weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
  const scripts = new Map<string, string>()
  return ranges.map(({ tag }) => {
    const { language, script, isBare } = writtenAs(tag)
    if (language === '') return tag
    const meant = isBare ? (scripts.get(language) ?? script) : script
    if (!scripts.has(language)) scripts.set(language, meant)
    return isBare ? `${language}-${meant}` : tag
  })
}

/** Returns the name of a language in itself, such as `Deutsch`, with a capital as in a list of choices. */
export function ownNameOf(tag: string): string {
  const name = new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1)
}
