import type { Config } from '../../config/load-config.ts'
import { german } from './de.ts'
import { english } from './en.ts'
import type { MailTexts } from './mail-texts.ts'

const catalogue: readonly MailTexts[] = [english, german]

const find = (language: string): MailTexts | undefined => {
  const primary = language.toLowerCase().split(/[-_]/, 1)[0]
  return catalogue.find((texts) => texts.language === primary)
}

/** Returns the texts in a language such as `de-DE`, or in the first available language of `[i18n].LANGS`, or in English. */
export function textsFor(config: Pick<Config, 'i18n'>, language: string): MailTexts {
  for (const each of [language, ...config.i18n.langs]) {
    const texts = find(each)
    if (texts) return texts
  }
  return english
}
