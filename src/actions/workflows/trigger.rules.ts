import { ignoresAll, includesAny, matchesAny } from './filter.rules.ts'
import type { Trigger } from './workflow.parse.ts'
import type { WorkBudget } from '../../lib/work-budget.ts'
import { wordTable } from '../../lib/word-table.ts'

/** The properties of an event that triggers compare with their filters. */
export interface TriggerSubject {
  /** The entries of `on` that it matches. */
  readonly events: readonly string[]
  /** Its activity types. A trigger has to select one of them. */
  readonly types?: readonly string[]
  /** The pushed branch, or the base branch of a pull request. */
  readonly branch?: string
  /** The pushed tag. */
  readonly tag?: string
}

/** The default of `types` for pull requests (contract, actions: triggers). */
const defaultPullTypes = ['opened', 'reopened', 'synchronize']

const isPullTrigger = (event: string): boolean => event === 'pull_request' || event === 'pull_request_target'

/** Returns whether a trigger needs the changed paths, which a git process has to compute. */
const filtersPaths = ({ filters }: Trigger): boolean => 'paths' in filters || 'paths-ignore' in filters

/** The filters that a trigger may have. A trigger with another filter never matches. */
const knownFilters = wordTable<readonly string[]>({
  push: ['branches', 'branches-ignore', 'tags', 'tags-ignore', 'paths', 'paths-ignore'],
  pull_request: ['types', 'branches', 'branches-ignore', 'paths', 'paths-ignore'],
  pull_request_target: ['types', 'branches', 'branches-ignore', 'paths', 'paths-ignore'],
  issues: ['types'],
  issue_comment: ['types'],
  pull_request_review: ['types'],
  pull_request_review_comment: ['types'],
  release: ['types'],
  registry_package: ['types'],
})

/** Returns whether the filters of a trigger match, except those of paths. */
function matches(trigger: Trigger, subject: TriggerSubject, budget: WorkBudget): boolean {
  const { event, filters } = trigger
  if (!subject.events.includes(event)) return false
  const known = knownFilters[event]
  // Triggers that have no filters ignore what the file writes there.
  if (!known) return true
  if (Object.keys(filters).some((name) => !known.includes(name))) return false
  const types = filters['types'] ?? (isPullTrigger(event) ? defaultPullTypes : undefined)
  if (types && !(subject.types ?? []).some((type) => matchesAny(types, type, budget))) return false
  return event === 'push'
    ? matchesPush(filters, subject, budget)
    : !isPullTrigger(event) || matchesBranch(filters, subject.branch, budget)
}

/** A pushed branch does not match a trigger that filters only tags, and a pushed tag not one that filters only branches. */
function matchesPush(filters: Trigger['filters'], { branch, tag }: TriggerSubject, budget: WorkBudget): boolean {
  const filtersBranches = 'branches' in filters || 'branches-ignore' in filters
  const filtersTags = 'tags' in filters || 'tags-ignore' in filters
  if (branch !== undefined) return filtersBranches ? matchesBranch(filters, branch, budget) : !filtersTags
  if (tag === undefined) return false
  return filtersTags ? matchesNames(filters['tags'], filters['tags-ignore'], [tag], budget) : !filtersBranches
}

const matchesBranch = (filters: Trigger['filters'], branch: string | undefined, budget: WorkBudget): boolean =>
  branch === undefined || matchesNames(filters['branches'], filters['branches-ignore'], [branch], budget)

const matchesNames = (
  wanted: readonly string[] | undefined,
  ignored: readonly string[] | undefined,
  names: readonly string[],
  budget: WorkBudget,
): boolean => (!wanted || includesAny(wanted, names, budget)) && !(ignored && ignoresAll(ignored, names, budget))

/**
 * Returns the entries of `on` that match, each once.
 * @throws WorkTooCostly
 * @param changedPaths computes the changed paths; called when a trigger filters by paths
 */
export async function matchingEvents(
  triggers: readonly Trigger[],
  subject: TriggerSubject,
  budget: WorkBudget,
  changedPaths: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const events: string[] = []
  for (const trigger of triggers) {
    if (events.includes(trigger.event) || !matches(trigger, subject, budget)) continue
    // A tag changes no paths.
    if (filtersPaths(trigger) && subject.tag === undefined) {
      const { paths, 'paths-ignore': ignored } = trigger.filters
      if (!matchesNames(paths, ignored, await changedPaths(), budget)) continue
    }
    events.push(trigger.event)
  }
  return events
}
