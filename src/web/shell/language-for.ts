import type { Config } from '../../config/load-config.ts'
import type { CallHead } from '../../http/error-forms.ts'
import { chooseLanguage } from '../languages/languages.ts'
import { languageCookie, readCookies } from './cookies.ts'

/**
 * Returns the language of the answer to a browser.
 * @param ofAccount the setting of the account, such as `de-DE`; '' for none
 */
export const languageFor = (
  { headers }: Pick<CallHead, 'headers'>,
  config: Pick<Config, 'i18n' | 'session'>,
  ofAccount = '',
): string =>
  chooseLanguage({
    chosen: [ofAccount, readCookies(headers['cookie']).get(languageCookie(config)) ?? ''],
    accepted: headers['accept-language'],
    ofSite: config.i18n.langs,
  })
