import type { PushSettings } from '../../access/contributions/push-extras.ts'
import { wordTable } from '../../lib/word-table.ts'

const truths = new Set(['1', 't', 'true'])
const falsehoods = new Set(['0', 'f', 'false'])

const settingOf = wordTable<keyof PushSettings>({
  'repo.private': 'isPrivate',
  'repo.template': 'isTemplate',
})

/** Most options that a push is told about, and the longest part of one. */
const maxProblems = 10
const maxShown = 100

/**
 * Reads `repo.private` and `repo.template`; a bare name means true. What is no truth value and what nobody knows changes
 * nothing (contract, transport: push options), and is told.
 * @param others names that somebody else reads; undefined: nothing can be set by options here
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

/** Text of a client, on one line and without what a terminal would obey. */
const shown = (text: string): string => text.slice(0, maxShown).replaceAll(/\p{C}/gu, '?')
