import { fitsSome, ignoresAll, includesSome } from './filter.rules.ts'
import type { Trigger } from './workflow.parse.ts'
import { wordTable } from '../../lib/word-table.ts'

/** What happened, as triggers look at it. */
export interface Happened {
  /** The entries of `on` that it may fit. */
  readonly events: readonly string[]
  /** Its kinds of activity, of which one has to fit; left out where there are none. */
  readonly types?: readonly string[]
  /** The branch or the tag that was pushed, or the branch that a pull request is for. */
  readonly branch?: string
  readonly tag?: string
}

/** Activities that pull requests are looked at for unless `types` says otherwise (contract, actions: triggers). */
const usualPullTypes = ['opened', 'reopened', 'synchronize']

const isAboutPulls = (event: string): boolean => event === 'pull_request' || event === 'pull_request_target'

/** Whether a trigger needs the paths that were changed, which takes git some time to tell. */
const filtersPaths = ({ filters }: Trigger): boolean => 'paths' in filters || 'paths-ignore' in filters

/** The filters that a trigger may have; with any other it never fits. */
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

/** The trigger whose filters, but those of paths, fit what happened. */
function fits(trigger: Trigger, happened: Happened): boolean {
  const { event, filters } = trigger
  if (!happened.events.includes(event)) return false
  const known = knownFilters[event]
  // Those that have none pass over what is written there.
  if (!known) return true
  if (Object.keys(filters).some((name) => !known.includes(name))) return false
  const types = filters['types'] ?? (isAboutPulls(event) ? usualPullTypes : undefined)
  if (types && !(happened.types ?? []).some((type) => fitsSome(types, type))) return false
  return event === 'push' ? fitsPushed(filters, happened) : !isAboutPulls(event) || fitsBranch(filters, happened.branch)
}

/** Of a filter of branches and one of tags one is enough; with only one of them the other kind does not fit. */
function fitsPushed(filters: Trigger['filters'], { branch, tag }: Happened): boolean {
  const aboutBranches = 'branches' in filters || 'branches-ignore' in filters
  const aboutTags = 'tags' in filters || 'tags-ignore' in filters
  if (branch !== undefined) return aboutBranches ? fitsBranch(filters, branch) : !aboutTags
  if (tag === undefined) return false
  return aboutTags ? fitsNames(filters['tags'], filters['tags-ignore'], [tag]) : !aboutBranches
}

const fitsBranch = (filters: Trigger['filters'], branch: string | undefined): boolean =>
  branch === undefined || fitsNames(filters['branches'], filters['branches-ignore'], [branch])

const fitsNames = (
  wanted: readonly string[] | undefined,
  ignored: readonly string[] | undefined,
  names: readonly string[],
): boolean => (!wanted || includesSome(wanted, names)) && !(ignored && ignoresAll(ignored, names))

/**
 * The events of `on` that fit what happened, each once.
 * @param changedPaths asked when a trigger filters by paths; undefined when it cannot be told
 */
export async function fittingEvents(
  triggers: readonly Trigger[],
  happened: Happened,
  changedPaths: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const events: string[] = []
  for (const trigger of triggers) {
    if (events.includes(trigger.event) || !fits(trigger, happened)) continue
    if (filtersPaths(trigger)) {
      const { paths, 'paths-ignore': ignored } = trigger.filters
      if (!fitsNames(paths, ignored, await changedPaths())) continue
    }
    events.push(trigger.event)
  }
  return events
}
