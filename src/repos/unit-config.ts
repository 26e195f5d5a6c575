import type { AccessMode } from '../db/tables/accounts.ts'
import type { RepoUnit, RepoUnitRow } from '../db/tables/repositories.ts'

/** Settings of the unit `issues`. */
export interface IssuesConfig {
  readonly enable_time_tracker: boolean
  readonly allow_only_contributors_to_track_time: boolean
  readonly enable_issue_dependencies: boolean
}

/** Settings of the unit `ext_issues`: a tracker elsewhere. */
export interface ExternalTrackerConfig {
  readonly external_tracker_url: string
  /** Address of one issue with placeholders such as `{index}`; empty: none is linked. */
  readonly external_tracker_format: string
  /** `numeric`, `alphanumeric` or `regexp`: what counts as a reference. */
  readonly external_tracker_style: string
  readonly external_tracker_regexp_pattern: string
}

/** Settings of the unit `ext_wiki`. */
export interface ExternalWikiConfig {
  readonly external_wiki_url: string
}

export const mergeStyles = [
  'merge',
  'rebase',
  'rebase-merge',
  'squash',
  'fast-forward-only',
  'manually-merged',
  'rebase-update-only',
] as const
export type MergeStyle = (typeof mergeStyles)[number]

/** Settings of the unit `pulls`. */
export interface PullsConfig {
  readonly ignore_whitespace_conflicts: boolean
  readonly allow_merge_commits: boolean
  readonly allow_rebase: boolean
  readonly allow_rebase_explicit: boolean
  readonly allow_squash_merge: boolean
  readonly allow_fast_forward_only_merge: boolean
  readonly allow_manual_merge: boolean
  readonly autodetect_manual_merge: boolean
  readonly allow_rebase_update: boolean
  readonly default_delete_branch_after_merge: boolean
  readonly default_merge_style: MergeStyle
  readonly default_allow_maintainer_edit: boolean
  readonly default_update_style: 'merge' | 'rebase'
}

/** What each unit is set to. Units that are not named have no settings. */
export interface UnitConfigs {
  readonly issues: IssuesConfig
  readonly ext_issues: ExternalTrackerConfig
  readonly ext_wiki: ExternalWikiConfig
  readonly pulls: PullsConfig
}

/** What decides the settings of new units. */
export interface UnitDefaults {
  readonly service: {
    readonly defaultEnableTimetracking: boolean
    readonly defaultAllowOnlyContributorsToTrackTime: boolean
    readonly defaultEnableDependencies: boolean
  }
  readonly repositoryPullRequest: {
    readonly defaultMergeStyle: MergeStyle
    readonly defaultUpdateStyle: 'merge' | 'rebase'
  }
}

export const newIssuesConfig = ({ service }: UnitDefaults): IssuesConfig => ({
  enable_time_tracker: service.defaultEnableTimetracking,
  allow_only_contributors_to_track_time: service.defaultAllowOnlyContributorsToTrackTime,
  enable_issue_dependencies: service.defaultEnableDependencies,
})

/** New pull request settings: every way of merging is allowed (contract, repositories: edit). */
export const newPullsConfig = ({ repositoryPullRequest }: UnitDefaults): PullsConfig => ({
  ignore_whitespace_conflicts: false,
  allow_merge_commits: true,
  allow_rebase: true,
  allow_rebase_explicit: true,
  allow_squash_merge: true,
  allow_fast_forward_only_merge: true,
  allow_manual_merge: false,
  autodetect_manual_merge: false,
  allow_rebase_update: true,
  default_delete_branch_after_merge: false,
  default_merge_style: repositoryPullRequest.defaultMergeStyle,
  default_allow_maintainer_edit: false,
  default_update_style: repositoryPullRequest.defaultUpdateStyle,
})

/** A unit to be switched on, as it goes into its row. */
export interface NewUnit {
  readonly unit: RepoUnit
  readonly config: string
  readonly default_access: AccessMode
}

/** A unit with settings, or with the defaults of a new one. */
export function newUnit(
  unit: RepoUnit,
  defaults: UnitDefaults,
  config?: object,
  defaultAccess: AccessMode = 0,
): NewUnit {
  const settings =
    config ?? (unit === 'issues' ? newIssuesConfig(defaults) : unit === 'pulls' ? newPullsConfig(defaults) : {})
  return { unit, config: JSON.stringify(settings), default_access: defaultAccess }
}

/** Units that no repository of the instance has: by name, and those whose whole feature is switched off. */
export const disabledUnits = (config: {
  readonly repository: { readonly disabledRepoUnits: readonly string[] }
  readonly packages: { readonly enabled: boolean }
  readonly actions: { readonly enabled: boolean }
}): string[] => [
  ...config.repository.disabledRepoUnits,
  ...(config.packages.enabled ? [] : ['repo.packages']),
  ...(config.actions.enabled ? [] : ['repo.actions']),
]

/** The units that a list of settings names (`repo.code`, …) without the disabled ones. */
export const unitsNamed = (names: readonly string[], disabled: readonly string[]): RepoUnit[] =>
  names.filter((name) => !disabled.includes(name)).map((name) => name.slice('repo.'.length) as RepoUnit)

/**
 * The units of a new repository: those that a list of settings names, with the defaults of the instance. Code is always
 * among them, as in the whole family: who may come to a repository finds something there, which queries rely on.
 */
export const newUnits = (
  names: readonly string[],
  config: UnitDefaults & Parameters<typeof disabledUnits>[0],
): NewUnit[] =>
  [...new Set<RepoUnit>(['code', ...unitsNamed(names, disabledUnits(config))])].map((unit) => newUnit(unit, config))

const parsed = new Map<string, unknown>()
/** Most parsed settings that are remembered; repositories mostly share a handful of different ones. */
const maxParsed = 500

/** Settings of a unit that is switched on; undefined when it is off. The same object for equal settings. */
export function unitConfig<Unit extends keyof UnitConfigs>(
  units: readonly RepoUnitRow[],
  unit: Unit,
): UnitConfigs[Unit] | undefined {
  const row = units.find((each) => each.unit === unit)
  if (!row) return undefined
  let value = parsed.get(row.config)
  if (value === undefined) {
    value = JSON.parse(row.config)
    if (parsed.size >= maxParsed) parsed.clear()
    parsed.set(row.config, value)
  }
  return value as UnitConfigs[Unit]
}
