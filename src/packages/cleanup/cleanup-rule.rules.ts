import { faultOfExpression } from '../../lib/expression.ts'
import type { WorkBudget } from '../../lib/work-budget.ts'
import { Invalid } from '../../lib/errors.ts'

/** All registry types. */
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

/** The criteria of a rule. */
export interface RuleSettings {
  readonly isEnabled: boolean
  readonly keepCount: number
  readonly keepPattern: string
  readonly removeDays: number
  readonly removePattern: string
  readonly matchesFullName: boolean
}

/** Criteria that select nothing. */
export const emptySettings: RuleSettings = {
  isEnabled: true,
  keepCount: 0,
  keepPattern: '',
  removeDays: 0,
  removePattern: '',
  matchesFullName: false,
}

/** Largest number of versions and of days that a rule may keep, and longest pattern in characters. */
const maxKeepCount = 10_000
const maxDays = 36_500
const maxPatternLength = 500

const refused = (field: string, why: string) => new Invalid(`[${field}]: ${why}`, 'cleanup_rule_invalid', { field })

/** Throws `Invalid` for invalid criteria, and for a rule without criteria, which would remove everything. */
export function checkSettings(settings: RuleSettings, budget: WorkBudget): void {
  const { keepCount, removeDays, keepPattern, removePattern } = settings
  if (keepCount < 0 || keepCount > maxKeepCount) throw refused('keep_count', `must be from 0 to ${maxKeepCount}`)
  if (removeDays < 0 || removeDays > maxDays) throw refused('remove_days', `must be from 0 to ${maxDays}`)
  for (const [field, pattern] of [
    ['keep_pattern', keepPattern],
    ['remove_pattern', removePattern],
  ] as const) {
    if (pattern.length > maxPatternLength || pattern.includes('\0')) {
      throw refused(field, `must be a regular expression of up to ${maxPatternLength} characters`)
    }
    const fault = faultOfExpression(pattern, budget, { ignoresCase: true })
    if (fault) throw refused(field, `must be a regular expression: ${fault.reason}`)
  }
  if (keepCount === 0 && removeDays === 0 && removePattern === '') {
    throw refused('keep_count', 'a rule says how many versions stay, from which age they go, or which names do')
  }
}

/** Returns the registry type of a rule, or throws `Invalid`. */
export function ruleTypeOf(type: string): string {
  if (!registryTypes.some((each) => each === type)) throw refused('type', 'there is no such registry')
  return type
}
