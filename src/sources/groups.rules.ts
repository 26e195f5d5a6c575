import type { TeamMap } from './source.rules.ts'

/** A team of an organization, by their names in lower case. */
export interface MappedTeam {
  readonly org: string
  readonly team: string
  /** Whether one of the groups puts the person there. */
  readonly isWanted: boolean
}

/**
 * The teams that a map names, and on which of them a person's groups put them.
 * @param keyOf how names of groups are compared; as they are unless told
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
