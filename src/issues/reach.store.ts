import { teamHoldsRepo } from '../access/team-holds.store.ts'
import type { ExpressionBuilder } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { RepoRow, RepoUnit } from '../db/tables/repositories.ts'
import type { UserId } from '../lib/ids.ts'

/**
 * Which of some accounts may read a unit of a repository, or with `write` write it: everybody where it is open to all,
 * else administrators, the owner, collaborators, and members of teams that hold it. People who can not sign in are left out.
 */
export async function listUsersReaching(
  db: Db,
  place: { readonly repo: RepoRow; readonly owner: UserRow },
  userIds: readonly UserId[],
  needed: { readonly units: readonly RepoUnit[]; readonly mode: 1 | 2 },
): Promise<UserRow[]> {
  if (userIds.length === 0 || needed.units.length === 0) return []
  const { repo, owner } = place
  const isOpen = needed.mode === 1 && !repo.is_private && owner.visibility !== 'private'
  return db
    .selectFrom('user')
    .selectAll()
    .where('id', 'in', userIds)
    .where('kind', '=', 'individual')
    .where('is_active', '=', true)
    .where('prohibit_login', '=', false)
    .where((where: ExpressionBuilder<Schema, 'user'>) =>
      where.or([
        where('user.is_admin', '=', true),
        where('user.id', '=', owner.id),
        ...(isOpen ? [where('user.is_restricted', '=', false)] : []),
        where.exists(
          where
            .selectFrom('collaboration')
            .select('collaboration.user_id')
            .whereRef('collaboration.user_id', '=', 'user.id')
            .where('collaboration.repo_id', '=', repo.id)
            .where('collaboration.access_mode', '>=', needed.mode),
        ),
        where.exists(
          where
            .selectFrom('team_user')
            .innerJoin('team', 'team.id', 'team_user.team_id')
            .leftJoin('team_unit', (join) =>
              join
                .onRef('team_unit.team_id', '=', 'team.id')
                .on('team_unit.unit', 'in', needed.units)
                .on('team_unit.access_mode', '>=', needed.mode),
            )
            .select('team.id')
            .whereRef('team_user.user_id', '=', 'user.id')
            .where('team.org_id', '=', owner.id)
            .where((team) => team.or([team('team.access_mode', '>=', 3), team('team_unit.unit', 'is not', null)]))
            .where(teamHoldsRepo(repo.id)),
        ),
      ]),
    )
    .execute()
}

/** Ids of the members of teams of an organization, by the names of the teams in lower case. */
export const listTeamMemberIds = async (db: Db, orgId: UserId, lowerNames: readonly string[]): Promise<UserId[]> =>
  lowerNames.length === 0
    ? []
    : (
        await db
          .selectFrom('team')
          .innerJoin('team_user', 'team_user.team_id', 'team.id')
          .select('team_user.user_id')
          .where('team.org_id', '=', orgId)
          .where('team.lower_name', 'in', lowerNames)
          .execute()
      ).map((row) => row.user_id)

/** Which of some accounts block a person. */
export const listBlockingAmong = async (
  db: Db,
  ids: readonly UserId[],
  blockedId: UserId,
): Promise<ReadonlySet<UserId>> =>
  new Set(
    ids.length === 0
      ? []
      : (
          await db
            .selectFrom('user_block')
            .select('blocker_id')
            .where('blocked_id', '=', blockedId)
            .where('blocker_id', 'in', ids)
            .execute()
        ).map((row) => row.blocker_id),
  )
