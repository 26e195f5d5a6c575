import { type Static, type TObject } from 'typebox'
import { repoUnits, type RepoUnit } from '../../db/tables/repositories.ts'
import { Invalid } from '../../lib/errors.ts'
import type { NewTeam } from '../../orgs/team.service.ts'
import { teamTexts as texts } from '../languages/texts.ts'
import { textUpTo } from '../ui/fields.ts'

const text = textUpTo(255)

type UnitFields = { readonly [Unit in RepoUnit as `unit_${Unit}`]: typeof text }

/** The fields of the form of a team. */
export const teamFields = {
  name: text,
  description: text,
  access: text,
  repositories: text,
  can_create_org_repo: text,
  ...(Object.fromEntries(repoUnits.map((unit) => [`unit_${unit}`, text])) as UnitFields),
}

/** Prefixes of refusal codes with the fields of the form. */
export const teamProblems = { team_name: 'name', name: 'name' }

/** The access that a team may have to a part of a repository, from none. */
export const unitLevels = ['none', 'read', 'write', 'admin'] as const

/** Names of teams, as in the API. */
const namePattern = /^[A-Za-z0-9_.-]+$/

/** Parts of addresses beside the names of teams. */
const takenNames: ReadonlySet<string> = new Set(['new', '.', '..'])

/** Returns name and description that a form sends. */
export function aboutTeam(body: { readonly name?: string; readonly description?: string }) {
  const name = (body.name ?? '').trim()
  if (name === '') throw new Invalid(texts.nameMissing, 'team_name_missing')
  if (!namePattern.test(name) || takenNames.has(name.toLowerCase())) {
    throw new Invalid(texts.nameRefused, 'team_name_invalid')
  }
  return { name, description: (body.description ?? '').trim() }
}

/** Returns what a form says of a team. `access` is `admin`, or the levels of the parts count. */
export function teamOf(body: Static<TObject<typeof teamFields>>): NewTeam {
  const about = aboutTeam(body)
  const switches = {
    includesAllRepositories: body.repositories === 'all',
    canCreateOrgRepo: body.can_create_org_repo !== undefined,
  }
  if (body.access === 'admin') return { ...about, ...switches, permission: 'admin' }
  const unitsMap = Object.fromEntries(
    repoUnits.map((unit) => [`repo.${unit}`, unitLevels.find((level) => level === body[`unit_${unit}`]) ?? 'none']),
  )
  // The permission follows from the parts; naming one makes the switch of all repositories count.
  return { ...about, ...switches, permission: 'read', unitsMap }
}
