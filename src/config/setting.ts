import { isValidBranchName } from '../lib/ref-name.ts'
import { wordTable } from '../lib/word-table.ts'
/** A value that a setting does not accept. The message names the accepted values. */
export class SettingError extends Error {}

/** A declared setting: its key, meaning, default and parser. */
export interface Setting<Value> {
  readonly key: string
  readonly kind: string
  /** One line, with the unit of the value. */
  readonly meaning: string
  readonly defaultValue: Value
  /** The default, as written in the file. */
  readonly defaultText: string
  /** A secret; its value is never shown. */
  readonly isSecret: boolean
  /** Aliases of the key in the same section. */
  readonly aliases: readonly string[]
  /** Whether an empty text means the default (numbers, durations, choices) instead of an empty value (texts, lists). */
  readonly emptyMeansDefault: boolean
  /** Throws SettingError. */
  readonly parse: (text: string) => Value
}

type Settings = Readonly<Record<string, Setting<unknown>>>

/** A section of the settings file. Its `settings` become the members of the section in `Config`. */
export interface Section<Members extends Settings = Settings> {
  readonly name: string
  readonly settings: Members
}

export type SectionValues<S extends Section> = {
  readonly [Member in keyof S['settings']]: S['settings'][Member] extends Setting<infer Value> ? Value : never
}

/** Declares a section. Each member is named by the camel-case form of its key. */
export const defineSection = <const Members extends Settings>(name: string, settings: Members): Section<Members> => ({
  name,
  settings,
})

interface Extra {
  readonly aliases?: readonly string[]
}

const refuse = (reason: string): never => {
  throw new SettingError(reason)
}

const truths = new Set(['1', 't', 'true', 'y', 'yes', 'on'])
const falsehoods = new Set(['0', 'f', 'false', 'n', 'no', 'off'])

/** A boolean: true or false, yes or no, on or off, 1 or 0. */
export const bool = (key: string, defaultValue: boolean, meaning: string, extra: Extra = {}): Setting<boolean> => ({
  key,
  kind: 'true or false',
  meaning,
  defaultValue,
  defaultText: String(defaultValue),
  isSecret: false,
  aliases: extra.aliases ?? [],
  emptyMeansDefault: true,
  parse: (text) => {
    const word = text.toLowerCase()
    if (truths.has(word)) return true
    return falsehoods.has(word) ? false : refuse('must be true or false')
  },
})

interface Range extends Extra {
  readonly min?: number
  readonly max?: number
}

/** An integer from `min` (default 0) to `max`. */
export function int(key: string, defaultValue: number, meaning: string, range: Range = {}): Setting<number> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = range
  const bounds = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  return {
    key,
    kind: `whole number ${bounds}`,
    meaning,
    defaultValue,
    defaultText: String(defaultValue),
    isSecret: false,
    aliases: range.aliases ?? [],
    emptyMeansDefault: true,
    parse: (text) => {
      const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN
      return value >= min && value <= max ? value : refuse(`must be a whole number ${bounds}`)
    },
  }
}

interface TextRules extends Extra {
  /** The pattern of non-empty texts, and its description for messages. */
  readonly pattern?: RegExp
  readonly form?: string
}

/** Any text. */
export const text = (key: string, defaultValue: string, meaning: string, rules: TextRules = {}): Setting<string> => ({
  key,
  kind: rules.form ?? 'text',
  meaning,
  defaultValue,
  defaultText: defaultValue,
  isSecret: false,
  aliases: rules.aliases ?? [],
  emptyMeansDefault: false,
  parse: (value) => {
    if (value === '' || rules.pattern === undefined || rules.pattern.test(value)) return value
    return refuse(`must be ${rules.form ?? 'of another form'}`)
  },
})

/** A name that a branch may have; an empty one means the default. */
export const branchName = (key: string, defaultValue: string, meaning: string): Setting<string> => ({
  ...text(key, defaultValue, meaning),
  kind: 'branch name',
  emptyMeansDefault: true,
  parse: (value) => (isValidBranchName(value) ? value : refuse('must be a name that a branch can have')),
})

/** A secret text. `<KEY>_URI = file:/path` names a file that contains it. */
export const secret = (key: string, meaning: string, extra: Extra = {}): Setting<string> => ({
  ...text(key, '', meaning, extra),
  kind: 'secret text',
  isSecret: true,
})

/** An http or https URL, with or without a trailing slash. */
export const url = (key: string, defaultValue: string, meaning: string): Setting<string> => ({
  ...text(key, defaultValue, meaning),
  kind: 'URL',
  parse: (value) => {
    if (value === '') return value
    const parsed = URL.parse(value)
    if (parsed === null || !/^https?:$/.test(parsed.protocol)) return refuse('must be an http or https URL')
    return value
  },
})

/** One of the given words, compared without case. */
export const choice = <const Words extends readonly string[]>(
  key: string,
  words: Words,
  defaultValue: Words[number],
  meaning: string,
  extra: Extra & { readonly synonyms?: Readonly<Record<string, Words[number]>> } = {},
): Setting<Words[number]> => ({
  key,
  kind: `one of ${words.join(', ')}`,
  meaning,
  defaultValue,
  defaultText: defaultValue,
  isSecret: false,
  aliases: extra.aliases ?? [],
  emptyMeansDefault: true,
  parse: (value) => {
    const lower = value.toLowerCase()
    const word = words.find((candidate) => candidate.toLowerCase() === lower)
    const synonyms = extra.synonyms ?? {}
    if (word !== undefined) return word
    return (
      (Object.hasOwn(synonyms, lower) ? synonyms[lower] : undefined) ?? refuse(`must be one of ${words.join(', ')}`)
    )
  },
})

/** Comma-separated texts, optionally quoted. Empty items are dropped. */
export const list = (
  key: string,
  defaultValue: readonly string[],
  meaning: string,
  extra: Extra & { readonly words?: readonly string[]; readonly pattern?: RegExp; readonly form?: string } = {},
): Setting<readonly string[]> => ({
  key,
  kind: extra.words === undefined ? 'comma-separated list' : `comma-separated list of ${extra.words.join(', ')}`,
  meaning,
  defaultValue,
  defaultText: defaultValue.join(','),
  isSecret: false,
  aliases: extra.aliases ?? [],
  emptyMeansDefault: false,
  parse: (value) => {
    const items = value
      .split(',')
      .map((item) => unquote(item.trim()))
      .filter((item) => item !== '')
    const { words, pattern, form } = extra
    if (pattern !== undefined && !items.every((item) => pattern.test(item))) refuse(`each must be ${form}`)
    const odd = words === undefined ? undefined : items.find((item) => !words.includes(item.toLowerCase()))
    if (words === undefined) return items
    return odd === undefined
      ? items.map((item) => item.toLowerCase())
      : refuse(`"${odd}" is not one of ${words.join(', ')}`)
  },
})

const unquote = (item: string): string => (/^(["'`]).*\1$/.test(item) && item.length > 1 ? item.slice(1, -1) : item)

const durationUnitsMs = wordTable<number>({
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
})

/**
 * Parses a duration such as `90s`, `1h30m`, `1.5h` or `7d` to milliseconds; undefined for invalid text. `0` needs no
 * unit. The form is Go's, as in the family's files, with days and weeks added.
 */
export function parseDurationMs(value: string): number | undefined {
  if (/^[+-]?0$/.test(value)) return 0
  const match = /^([+-]?)((?:\d+(?:\.\d+)?(?:ns|us|\u00b5s|ms|s|m|h|d|w))+)$/.exec(value.replaceAll(' ', ''))
  if (match === null) return undefined
  let totalMs = 0
  for (const [, amount, unit] of (match[2] ?? '').matchAll(/(\d+(?:\.\d+)?)(ns|us|\u00b5s|ms|s|m|h|d|w)/g)) {
    totalMs += Number(amount) * (durationUnitsMs[unit ?? ''] ?? Number.NaN)
  }
  return Math.round(match[1] === '-' ? -totalMs : totalMs)
}

/** A duration such as `10s`, `5m` or `1h30m`, in milliseconds. `defaultText` has the same form. */
export function durationMs(
  key: string,
  defaultText: string,
  meaning: string,
  range: Extra & { readonly min?: string; readonly max?: string; readonly allowNegative?: boolean } = {},
): Setting<number> {
  const parse = (value: string): number => {
    const ms = parseDurationMs(value)
    if (ms === undefined) return refuse('must be a duration with a unit, like 30s, 10m or 1h30m')
    if (ms < 0 && range.allowNegative !== true) return refuse('must not be negative')
    if (range.min !== undefined && ms < (parseDurationMs(range.min) ?? 0)) {
      return refuse(`must be at least ${range.min}`)
    }
    if (range.max !== undefined && ms > (parseDurationMs(range.max) ?? 0)) return refuse(`must be at most ${range.max}`)
    return ms
  }
  return {
    key,
    kind: 'duration',
    meaning,
    defaultValue: parse(defaultText),
    defaultText,
    isSecret: false,
    aliases: range.aliases ?? [],
    emptyMeansDefault: true,
    parse,
  }
}

const byteUnits = wordTable<number>({
  '': 1,
  b: 1,
  k: 1024,
  kb: 1000,
  kib: 1024,
  m: 1024 ** 2,
  mb: 1000 ** 2,
  mib: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1000 ** 3,
  gib: 1024 ** 3,
  t: 1024 ** 4,
  tb: 1000 ** 4,
  tib: 1024 ** 4,
})

/** Parses a size such as `4096`, `512 KiB` or `1.5GB` to bytes; undefined for invalid text. */
export function parseBytes(value: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(value)
  const unit = match === null ? undefined : byteUnits[(match[2] ?? '').toLowerCase()]
  if (match === null || unit === undefined) return undefined
  const size = Math.round(Number(match[1]) * unit)
  return Number.isSafeInteger(size) ? size : undefined
}

/** A size such as `4096`, `512 KiB` or `2 GiB`, in bytes. With `allowUnlimited`, -1 means no limit. */
export function bytes(
  key: string,
  defaultText: string,
  meaning: string,
  rules: Extra & { readonly allowUnlimited?: boolean; readonly max?: number } = {},
): Setting<number> {
  const parse = (value: string): number => {
    if (rules.allowUnlimited === true && /^-\d+$/.test(value)) return -1
    const size = parseBytes(value)
    if (size === undefined) return refuse('must be a size like 4096, 512 KiB or 2 GiB')
    return rules.max !== undefined && size > rules.max ? refuse(`must be at most ${rules.max} bytes`) : size
  }
  return {
    key,
    kind: rules.allowUnlimited === true ? 'size in bytes, -1 for no limit' : 'size in bytes',
    meaning,
    defaultValue: parse(defaultText),
    defaultText,
    isSecret: false,
    aliases: rules.aliases ?? [],
    emptyMeansDefault: true,
    parse,
  }
}

const schedulePattern =
  /^(@(yearly|annually|monthly|weekly|daily|midnight|hourly)|@every .+|[\d*/,?A-Za-z-]+( [\d*/,?A-Za-z#-]+){4,5})$/

/** The schedule of a periodic task: `@midnight`, `@every 72h`, or five or six cron fields. */
export const schedule = (key: string, defaultValue: string, meaning: string): Setting<string> => ({
  ...text(key, defaultValue, meaning),
  kind: 'schedule',
  emptyMeansDefault: true,
  parse: (value) => {
    const tidy = value.trim().replace(/\s+/g, ' ')
    const every = /^@every (.+)$/.exec(tidy)?.[1]
    const everyMs = every === undefined ? 1 : (parseDurationMs(every) ?? 0)
    if (schedulePattern.test(tidy) && everyMs > 0) return tidy
    return refuse(
      'must be @hourly, @daily, @midnight, @weekly, @monthly, @annually, @every 72h or five or six cron fields',
    )
  },
})
