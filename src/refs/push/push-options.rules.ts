import type { PushSettings } from '../../access/contributions/push-extras.ts'
import { wordTable } from '../../lib/word-table.ts'

const truths = new Set(['1', 't', 'true'])
const falsehoods = new Set(['0', 'f', 'false'])

const settingOf = wordTable<keyof PushSettings>({
  'repo.private': 'isPrivate',
  'repo.template': 'isTemplate',
})

/** Limits of reported options and of their text. */
const maxProblems = 10
const maxShown = 100

/**
 * Reads `repo.private` and `repo.template`; a bare name means true. Invalid values and unknown options change nothing
 * and are reported (contract, transport: push options).
 * @param others names that other code reads; undefined when no option is allowed
 */
export function readPushOptions(
  texts: readonly string[],
  others: readonly string[] | undefined,
): { readonly settings: PushSettings; readonly problems: readonly string[] } {
  const settings: { -readonly [Key in keyof PushSettings]: PushSettings[Key] } = {}
  const problems: string[] = []
  for (const text of texts) {
    const [name = '', value = 'true'] = text.split(/=(.*)/s)
    const setting = others && Object.hasOwn(settingOf, name) ? settingOf[name] : undefined
    const truth = truths.has(value.toLowerCase()) ? true : falsehoods.has(value.toLowerCase()) ? false : undefined
    if (setting && truth !== undefined) settings[setting] = truth
    else if (setting) problems.push(`push option ${shown(name)} is true or false; ${shown(value)} changes nothing`)
    else if (!others?.includes(name)) problems.push(`push option ${shown(name)} is not known here and changes nothing`)
  }
  return { settings, problems: problems.slice(0, maxProblems) }
}

/** Client text without control characters, shortened. */
const shown = (text: string): string => text.slice(0, maxShown).replaceAll(/\p{C}/gu, '?')
