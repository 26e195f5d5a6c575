import { isRegExp } from '../../lib/bounded-regexp.ts'
import { Invalid } from '../../lib/errors.ts'

/** The registries that there are. */
export const registryTypes = [
  'alpine',
  'alt',
  'arch',
  'cargo',
  'chef',
  'composer',
  'conan',
  'conda',
  'container',
  'cran',
  'debian',
  'generic',
  'go',
  'helm',
  'maven',
  'npm',
  'nuget',
  'pub',
  'pypi',
  'rpm',
  'rubygems',
  'swift',
  'vagrant',
] as const

/** What a rule says of which versions go. */
export interface RuleSettings {
  readonly isEnabled: boolean
  readonly keepCount: number
  readonly keepPattern: string
  readonly removeDays: number
  readonly removePattern: string
  readonly matchesFullName: boolean
}

/** What a rule says that says nothing. */
export const usualSettings: RuleSettings = {
  isEnabled: true,
  keepCount: 0,
  keepPattern: '',
  removeDays: 0,
  removePattern: '',
  matchesFullName: false,
}

/** Most versions that a rule may keep by their number, most days, and the longest pattern in characters. */
const maxKeepCount = 10_000
const maxDays = 36_500
const maxPatternLength = 500

const refused = (field: string, why: string) => new Invalid(`[${field}]: ${why}`, 'cleanup_rule_invalid', { field })

/** A pattern fits a text as a whole. */
export const expressionOf = (pattern: string): string => `^(?:${pattern})$`

/** Throws `Invalid` for what makes no rule: one that would remove everything is none. */
export function checkSettings(settings: RuleSettings): void {
  const { keepCount, removeDays, keepPattern, removePattern } = settings
  if (keepCount < 0 || keepCount > maxKeepCount) throw refused('keep_count', `must be from 0 to ${maxKeepCount}`)
  if (removeDays < 0 || removeDays > maxDays) throw refused('remove_days', `must be from 0 to ${maxDays}`)
  for (const [field, pattern] of [
    ['keep_pattern', keepPattern],
    ['remove_pattern', removePattern],
  ] as const) {
    if (pattern.length > maxPatternLength || pattern.includes('\0') || !isRegExp(expressionOf(pattern))) {
      throw refused(field, `must be a regular expression of up to ${maxPatternLength} characters`)
    }
  }
  if (keepCount === 0 && removeDays === 0 && removePattern === '') {
    throw refused('keep_count', 'a rule says how many versions stay, from which age they go, or which names do')
  }
}

/** The registry that a rule is for, or `Invalid`. */
export function ruleTypeOf(type: string): string {
  if (!registryTypes.some((each) => each === type)) throw refused('type', 'there is no such registry')
  return type
}
