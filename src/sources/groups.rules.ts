import type { TeamMap } from './source.rules.ts'

/** A team of an organization, by lower-case names. */
export interface MappedTeam {
  readonly org: string
  readonly team: string
  /** Whether a group of the person maps to the team. */
  readonly isWanted: boolean
}

/**
 * Returns the teams of a map, and whether a person's groups put them on each.
 * @param keyOf normalizes names of groups for comparison; the default leaves them unchanged
 */
export function mappedTeams(
  map: TeamMap,
  groups: readonly string[],
  keyOf: (group: string) => string = (group) => group,
): MappedTeam[] {
  const has = new Set(groups.map(keyOf))
  const teams = new Map<string, MappedTeam>()
  for (const [group, orgs] of Object.entries(map)) {
    for (const [org, names] of Object.entries(orgs)) {
      for (const name of names) {
        const team = { org: org.toLowerCase(), team: name.toLowerCase() }
        const key = `${team.org}/${team.team}`
        teams.set(key, { ...team, isWanted: teams.get(key)?.isWanted === true || has.has(keyOf(group)) })
      }
    }
  }
  return [...teams.values()]
}
