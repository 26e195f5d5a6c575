import type { AccessMode } from '../db/tables/accounts.ts'
import type { RepoUnit, RepoUnitRow } from '../db/tables/repositories.ts'

/** Settings of the unit `issues`. */
export interface IssuesConfig {
  readonly enable_time_tracker: boolean
  readonly allow_only_contributors_to_track_time: boolean
  readonly enable_issue_dependencies: boolean
}

/** Settings of the unit `ext_issues`, an external tracker. */
export interface ExternalTrackerConfig {
  readonly external_tracker_url: string
  /** URL of an issue with placeholders such as `{index}`. Empty: no links. */
  readonly external_tracker_format: string
  /** Form of references: `numeric`, `alphanumeric` or `regexp`. */
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

/** The settings of each unit. Other units have none. */
export interface UnitConfigs {
  readonly issues: IssuesConfig
  readonly ext_issues: ExternalTrackerConfig
  readonly ext_wiki: ExternalWikiConfig
  readonly pulls: PullsConfig
}

/** The instance settings that decide defaults of new units. */
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

/** Defaults of pull request settings: every merge style is allowed (contract, repositories: edit). */
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

/** The row of a unit. */
export interface NewUnit {
  readonly unit: RepoUnit
  readonly config: string
  readonly default_access: AccessMode
}

/** Returns a unit with the given settings, or with the defaults. */
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

/** Returns the units that the instance disables, by name or with their feature. */
export const disabledUnits = (config: {
  readonly repository: { readonly disabledRepoUnits: readonly string[] }
  readonly packages: { readonly enabled: boolean }
  readonly actions: { readonly enabled: boolean }
}): string[] => [
  ...config.repository.disabledRepoUnits,
  ...(config.packages.enabled ? [] : ['repo.packages']),
  ...(config.actions.enabled ? [] : ['repo.actions']),
]

/** Returns the units that a setting lists (`repo.code`, …), without disabled ones. */
export const unitsNamed = (names: readonly string[], disabled: readonly string[]): RepoUnit[] =>
  names.filter((name) => !disabled.includes(name)).map((name) => name.slice('repo.'.length) as RepoUnit)

/**
 * Returns the units of a new repository with the instance's defaults. Code is always among them; the access
 * conditions rely on it.
 */
export const newUnits = (
  names: readonly string[],
  config: UnitDefaults & Parameters<typeof disabledUnits>[0],
): NewUnit[] =>
  [...new Set<RepoUnit>(['code', ...unitsNamed(names, disabledUnits(config))])].map((unit) => newUnit(unit, config))

const parsed = new Map<string, unknown>()
/** Largest number of cached settings. Most repositories share a few. */
const maxParsed = 500

/** Returns the settings of a unit; undefined when it is off. Equal settings share an object. */
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
