import { teamIsCalledTo } from '../../access/conditions/team-holds.store.ts'
import type { Db } from '../../db/database.ts'
import type { RepoUnit } from '../../db/tables/repositories.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'

/**
 * Returns the members of those teams of an organization that a mention in a unit of a repository reaches.
 * @param lowerNames names of the teams in lower case
 */
export const listCalledMemberIds = async (
  db: Db,
  { orgId, repoId, unit }: { readonly orgId: UserId; readonly repoId: RepoId; readonly unit: RepoUnit },
  lowerNames: readonly string[],
): Promise<UserId[]> =>
  lowerNames.length === 0
    ? []
    : (
        await db
          .selectFrom('team')
          .innerJoin('team_user', 'team_user.team_id', 'team.id')
          .select('team_user.user_id')
          .where('team.org_id', '=', orgId)
          .where('team.lower_name', 'in', lowerNames)
          .where(teamIsCalledTo(repoId, unit))
          .execute()
      ).map((row) => row.user_id)

/** Returns the accounts, out of `ids`, that block a person. */
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
