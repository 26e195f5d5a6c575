import { acceptedLanguages, matchLanguage, ownNameOf } from '../../lib/language-tags.ts'
import { german } from './de/index.ts'
import { english } from './en/index.ts'
import type { Texts } from './translation.ts'
import { chinese } from './zh/index.ts'

/** The texts by language, as in `lang` of HTML. A language that has several scripts is named with its own, as `zh-Hans`. */
export const languages = new Map<string, Texts>([
  ['en', english],
  ['de', german],
  ['zh-Hans', chinese],
])

/** `[i18n]`. */
interface SiteLanguages {
  readonly langs: readonly string[]
  readonly names: readonly string[]
}

/** Returns the languages that the site offers and that exist, in the order of the site; English when it offers none. */
const offeredBy = (langs: readonly string[]): readonly string[] => {
  const offered = new Set(langs.flatMap((tag) => matchLanguage(tag, languages.keys()) ?? []))
  return offered.size === 0 ? ['en'] : [...offered]
}

/** A language to choose: its tag as in `[i18n].LANGS`, and its name in itself. */
export interface LanguageChoice {
  readonly value: string
  readonly label: string
}

/** Returns the languages that people can choose, each once. */
export function languageChoices({ langs, names }: SiteLanguages): LanguageChoice[] {
  const known = new Set<string>()
  const choices = langs.flatMap((value, index) => {
    const language = matchLanguage(value, languages.keys())
    if (language === undefined || known.has(language)) return []
    known.add(language)
    return [{ value, label: names[index] ?? ownNameOf(language) }]
  })
  return choices.length === 0 ? [{ value: 'en', label: ownNameOf('en') }] : choices
}

/** Who reads, as far as it is known. */
interface ReaderFacts {
  /** What was chosen, such as `de-DE`, the strongest first: by the account, in this browser; '' for none. */
  readonly chosen?: readonly string[] | undefined
  /** The header `Accept-Language`. */
  readonly accepted: string | readonly string[] | undefined
  /** `[i18n].LANGS`. */
  readonly ofSite: readonly string[]
}

/** Returns the first language that the site offers: of what was chosen, of the browser, of the site; else English. */
export function chooseLanguage({ chosen = [], accepted = '', ofSite }: ReaderFacts): string {
  const offered = offeredBy(ofSite)
  for (const tag of [...chosen, ...acceptedLanguages(String(accepted))]) {
    const language = matchLanguage(tag, offered)
    if (language !== undefined) return language
  }
  return offered[0] ?? 'en'
}
