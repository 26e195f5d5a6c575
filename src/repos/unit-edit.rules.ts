import type { AccessMode } from '../db/tables/accounts.ts'
import type { RepoUnit, RepoUnitRow } from '../db/tables/repositories.ts'
import type { ExternalTrackerConfig, IssuesConfig, PullsConfig } from './unit-config.ts'
import { newPullsConfig, unitConfig, type NewUnit, type UnitDefaults } from './unit-config.ts'

/** The changes of units in a request. Undefined: unchanged. */
export interface UnitEdit {
  readonly has_issues?: boolean | undefined
  readonly internal_tracker?: Partial<IssuesConfig> | undefined
  readonly external_tracker?: Partial<ExternalTrackerConfig> | undefined
  readonly has_wiki?: boolean | undefined
  readonly external_wiki?: { readonly external_wiki_url?: string | undefined } | undefined
  readonly globally_editable_wiki?: boolean | undefined
  readonly has_pull_requests?: boolean | undefined
  readonly has_projects?: boolean | undefined
  readonly has_releases?: boolean | undefined
  readonly has_packages?: boolean | undefined
  readonly has_actions?: boolean | undefined
  readonly pulls: { readonly [Key in keyof PullsConfig]?: PullsConfig[Key] | undefined }
}

/** The units that an edit switches on and off. */
export interface UnitChange {
  readonly on: readonly NewUnit[]
  readonly off: readonly RepoUnit[]
  /** Reason of a refusal. */
  readonly problem?: string
}

const writeAccess: AccessMode = 2

const unchanged: UnitChange = { on: [], off: [] }

const isHttpUrl = (text: string): boolean => {
  const url = /\s/.test(text) ? null : URL.parse(text)
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== ''
}

/** Returns whether a text is the URL of an issue after its placeholders are filled. */
const isIssueFormat = (text: string): boolean =>
  /\{index\}/.test(text) && isHttpUrl(text.replaceAll(/\{(?:user|repo|index)\}/g, 'x'))

function editTracker(units: readonly RepoUnitRow[], edit: UnitEdit): UnitChange {
  const present = units.some(({ unit }) => unit === 'issues' || unit === 'ext_issues')
  const external = edit.external_tracker
  if (!(edit.has_issues ?? present)) return { on: [], off: present ? ['issues', 'ext_issues'] : [] }
  if (edit.has_issues === undefined && !external && !edit.internal_tracker) return unchanged
  if (external) {
    const url = external.external_tracker_url ?? ''
    const format = external.external_tracker_format ?? ''
    if (!isHttpUrl(url)) return { on: [], off: [], problem: 'external_tracker_url must be an http or https address' }
    if (format !== '' && !isIssueFormat(format)) {
      return { on: [], off: [], problem: 'external_tracker_format must be an address that holds {index}' }
    }
    const config: ExternalTrackerConfig = {
      external_tracker_url: url,
      external_tracker_format: format,
      external_tracker_style: external.external_tracker_style ?? 'numeric',
      external_tracker_regexp_pattern: external.external_tracker_regexp_pattern ?? '',
    }
    return { on: [{ unit: 'ext_issues', config: JSON.stringify(config), default_access: 0 }], off: ['issues'] }
  }
  const tracker = edit.internal_tracker
  // The object replaces all settings: absent ones are false. A new tracker without settings has all features.
  const config: IssuesConfig = tracker
    ? {
        enable_time_tracker: tracker.enable_time_tracker ?? false,
        allow_only_contributors_to_track_time: tracker.allow_only_contributors_to_track_time ?? false,
        enable_issue_dependencies: tracker.enable_issue_dependencies ?? false,
      }
    : (unitConfig(units, 'issues') ?? {
        enable_time_tracker: true,
        allow_only_contributors_to_track_time: true,
        enable_issue_dependencies: true,
      })
  return { on: [{ unit: 'issues', config: JSON.stringify(config), default_access: 0 }], off: ['ext_issues'] }
}

function editWiki(units: readonly RepoUnitRow[], edit: UnitEdit): UnitChange {
  const present = units.some(({ unit }) => unit === 'wiki' || unit === 'ext_wiki')
  if (!(edit.has_wiki ?? present)) return { on: [], off: present ? ['wiki', 'ext_wiki'] : [] }
  if (edit.external_wiki) {
    const url = edit.external_wiki.external_wiki_url ?? ''
    if (!isHttpUrl(url)) return { on: [], off: [], problem: 'external_wiki_url must be an http or https address' }
    return {
      on: [{ unit: 'ext_wiki', config: JSON.stringify({ external_wiki_url: url }), default_access: 0 }],
      off: ['wiki'],
    }
  }
  const isExternal = units.some(({ unit }) => unit === 'ext_wiki')
  if (edit.has_wiki === undefined && (isExternal || edit.globally_editable_wiki === undefined)) return unchanged
  const kept = units.find(({ unit }) => unit === 'wiki')?.default_access ?? 0
  const access = edit.globally_editable_wiki === undefined ? kept : edit.globally_editable_wiki ? writeAccess : 0
  return { on: [{ unit: 'wiki', config: '{}', default_access: access }], off: ['ext_wiki'] }
}

function editPulls(units: readonly RepoUnitRow[], edit: UnitEdit, defaults: UnitDefaults): UnitChange {
  const present = unitConfig(units, 'pulls')
  if (!(edit.has_pull_requests ?? present !== undefined)) return { on: [], off: present === undefined ? [] : ['pulls'] }
  const given = Object.fromEntries(Object.entries(edit.pulls).filter(([, value]) => value !== undefined))
  const config = { ...newPullsConfig(defaults), ...present, ...given }
  return { on: [{ unit: 'pulls', config: JSON.stringify(config), default_access: 0 }], off: [] }
}

function editSwitch(units: readonly RepoUnitRow[], unit: RepoUnit, isOn: boolean | undefined): UnitChange {
  const present = units.some((row) => row.unit === unit)
  if (isOn === undefined || isOn === present) return { on: [], off: [] }
  return isOn ? { on: [{ unit, config: '{}', default_access: 0 }], off: [] } : { on: [], off: [unit] }
}

/**
 * Returns what an edit does to the units. An edit that names neither `has_issues` nor a tracker leaves the tracker as it is.
 * `has_issues: true` without an external tracker sets the internal tracker, and `has_wiki` alike. Switching pull requests off
 * loses their settings (contract, repositories: edit).
 * @param disabled units that no repository of the instance may have
 */
export function editUnits(
  units: readonly RepoUnitRow[],
  edit: UnitEdit,
  defaults: UnitDefaults,
  disabled: readonly RepoUnit[],
): UnitChange {
  const changes = [
    editTracker(units, edit),
    editWiki(units, edit),
    editPulls(units, edit, defaults),
    editSwitch(units, 'projects', edit.has_projects),
    editSwitch(units, 'releases', edit.has_releases),
    editSwitch(units, 'packages', edit.has_packages),
    editSwitch(units, 'actions', edit.has_actions),
  ]
  const problem = changes.find((change) => change.problem !== undefined)?.problem
  // A unit replaces its alternative only if the instance allows it. Otherwise the external tracker or wiki stays.
  const possible = changes.filter((change) => !change.on.some(({ unit }) => disabled.includes(unit)))
  const on = possible.flatMap((change) => change.on)
  const off = possible.flatMap((change) => change.off)
  return problem === undefined ? { on, off } : { on, off, problem }
}
