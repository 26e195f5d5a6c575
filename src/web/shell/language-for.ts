import type { Config } from '../../config/load-config.ts'
import type { CallHead } from '../../http/error-forms.ts'
import { chooseLanguage } from '../languages/languages.ts'

/**
 * Returns the language of the answer to a browser.
 * @param chosen the setting of the account, such as `de-DE`; '' for none
 */
export const languageFor = (
  { headers }: Pick<CallHead, 'headers'>,
  { i18n }: Pick<Config, 'i18n'>,
  chosen = '',
): string => chooseLanguage({ chosen, accepted: headers['accept-language'], ofSite: i18n.langs })
