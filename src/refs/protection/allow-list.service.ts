import type { RepoCtx } from '../../access/context.ts'
import type { Rights } from '../../access/rights.ts'
import { Invalid } from '../../lib/errors.ts'
import type { TeamId, UserId } from '../../lib/ids.ts'
import { listTeamsByName, listUsersByName } from './allow-list.store.ts'
import { rightsOfUsers } from '../../access/user-rights.service.ts'

/**
 * The accounts of a list of names, without duplicates and without those that `isFit` rejects. Throws `Invalid` for an
 * unknown name.
 */
export async function listedUsers(
  ctx: RepoCtx,
  names: readonly string[],
  isFit: (rights: Rights) => boolean,
): Promise<UserId[]> {
  const wanted = [...new Set(names.map((name) => name.toLowerCase()))]
  if (wanted.length === 0) return []
  const users = await listUsersByName(ctx.db, wanted)
  const known = new Set(users.map((user) => user.lower_name))
  const unknown = names.find((name) => !known.has(name.toLowerCase()))
  if (unknown !== undefined) throw new Invalid(`there is no account ${unknown}`, 'user_not_found')
  const rights = await rightsOfUsers(ctx.db, ctx.owner, ctx.repo, users)
  return users.filter((user) => isFit(rights.get(user.id) as Rights)).map((user) => user.id)
}

/**
 * Teams of the owning organization by name. Throws `Invalid` for an unknown name. A personal repository has no teams.
 */
export async function listedTeams(ctx: RepoCtx, names: readonly string[]): Promise<TeamId[]> {
  const wanted = [...new Set(names.map((name) => name.toLowerCase()))]
  if (wanted.length === 0 || ctx.owner.kind !== 'organization') return []
  const teams = await listTeamsByName(ctx.db, ctx.owner.id, wanted)
  const known = new Set(teams.map((team) => team.lower_name))
  const unknown = names.find((name) => !known.has(name.toLowerCase()))
  if (unknown !== undefined) throw new Invalid(`there is no team ${unknown}`, 'team_not_found')
  return teams.map((team) => team.id)
}
