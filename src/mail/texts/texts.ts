import type { Config } from '../../config/load-config.ts'
import { matchLanguage } from '../../lib/language-tags.ts'
import { german } from './de.ts'
import { english } from './en.ts'
import type { MailTexts } from './mail-texts.ts'
import { chinese } from './zh.ts'

const catalogue = new Map([english, german, chinese].map((texts) => [texts.language, texts]))

const find = (tag: string): MailTexts | undefined => {
  const language = matchLanguage(tag, catalogue.keys())
  return language === undefined ? undefined : catalogue.get(language)
}

/** Returns the texts in a language such as `de-DE`, if the site offers it, or in the first language of `[i18n].LANGS` that exists, or in English. */
export function textsFor({ i18n }: Pick<Config, 'i18n'>, language: string): MailTexts {
  const offered = i18n.langs.flatMap((tag) => find(tag) ?? [])
  const preferred = find(language)
  return preferred && offered.includes(preferred) ? preferred : (offered[0] ?? english)
}
