import type { VNode } from 'preact'
import { english } from './en/index.ts'

/** A text of another language: another string, or a function of the same values. */
type Translated<Text> = Text extends string
  ? string
  : Text extends number | boolean | null | undefined | VNode
    ? Text
    : Text extends (...values: infer Values) => infer Result
      ? (...values: Values) => Translated<Result>
      : { readonly [Name in keyof Text]: Translated<Text[Name]> }

/** The texts of pages in one language: what `en/index.ts` exports. */
export type Texts = Translated<typeof english>

/** The texts by language, as in `lang` of HTML. */
export const languages = new Map<string, Texts>([['en', english]])

/** Returns the language of a tag such as `de-DE`, if it exists. */
const languageOf = (tag: string): string | undefined => {
  const primary = tag.toLowerCase().split(/[-_]/, 1)[0] ?? ''
  return languages.has(primary) ? primary : undefined
}

/** Returns the tags of an `Accept-Language` header, the preferred first. */
function acceptedTags(header: string): string[] {
  const ranges = header.split(',').map((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    return { tag, weight: weight === undefined ? 1 : Number(weight) }
  })
  return ranges
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag)
}

/** Who reads, as far as it is known. */
interface ReaderFacts {
  /** The language that the account has chosen, such as `de-DE`; '' for none. */
  readonly chosen?: string | undefined
  /** The header `Accept-Language`. */
  readonly accepted: string | readonly string[] | undefined
  /** `[i18n].LANGS`. */
  readonly ofSite: readonly string[]
}

/** Returns the first language that exists: of the account, the browser, the site; else English. */
export function chooseLanguage({ chosen = '', accepted = '', ofSite }: ReaderFacts): string {
  for (const tag of [chosen, ...acceptedTags(String(accepted)), ...ofSite]) {
    const language = languageOf(tag)
    if (language !== undefined) return language
  }
  return 'en'
}
