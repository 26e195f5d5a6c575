import { teamHoldsRepo } from '../../access/team-holds.store.ts'
import type { Db } from '../../db/database.ts'
import type { RepoUnit } from '../../db/tables/repositories.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'

/** Teams that hold a repository, as a condition on `team`. */
const teamsOf = (db: Db, ownerId: UserId, repoId: RepoId) =>
  db
    .selectFrom('team_user')
    .innerJoin('team', 'team.id', 'team_user.team_id')
    .where('team.org_id', '=', ownerId)
    .where(teamHoldsRepo(repoId))

/** People who may write to a repository: collaborators, and members of teams that write any of the units or read pulls. */
export const listWriters = (db: Db, ownerId: UserId, repoId: RepoId, units: readonly RepoUnit[]): Promise<UserRow[]> =>
  db
    .selectFrom('user')
    .selectAll()
    .where('kind', '=', 'individual')
    .where((where) =>
      where.or([
        where('user.id', '=', ownerId),
        where.exists(
          where
            .selectFrom('collaboration')
            .select('collaboration.user_id')
            .whereRef('collaboration.user_id', '=', 'user.id')
            .where('collaboration.repo_id', '=', repoId)
            .where('collaboration.access_mode', '>=', 2),
        ),
        where('user.id', 'in', () =>
          teamsOf(db, ownerId, repoId)
            .select('team_user.user_id')
            .where((grant) =>
              grant.or([
                grant('team.access_mode', '>=', 3),
                grant.exists(
                  grant
                    .selectFrom('team_unit')
                    .select('team_unit.team_id')
                    .whereRef('team_unit.team_id', '=', 'team.id')
                    .where('team_unit.unit', 'in', units)
                    .where((unit) =>
                      unit.or([
                        unit('team_unit.access_mode', '>=', 2),
                        unit.and([unit('team_unit.unit', '=', 'pulls'), unit('team_unit.access_mode', '>=', 1)]),
                      ]),
                    ),
                ),
              ]),
            ),
        ),
      ]),
    )
    .orderBy('lower_name')
    .execute()

/**
 * People who may be asked for a review: the owner, collaborators and members of teams that read pulls; of a repository
 * that is not private also its watchers and the members of the organization.
 */
export const listReviewers = (db: Db, ownerId: UserId, repoId: RepoId, isPrivate: boolean): Promise<UserRow[]> =>
  db
    .selectFrom('user')
    .selectAll()
    .where('kind', '=', 'individual')
    .where((where) =>
      where.or([
        where('user.id', '=', ownerId),
        where.exists(
          where
            .selectFrom('collaboration')
            .select('collaboration.user_id')
            .whereRef('collaboration.user_id', '=', 'user.id')
            .where('collaboration.repo_id', '=', repoId)
            .where('collaboration.access_mode', '>=', 1),
        ),
        where('user.id', 'in', () =>
          teamsOf(db, ownerId, repoId)
            .select('team_user.user_id')
            .where((grant) =>
              grant.or([
                grant('team.access_mode', '>=', 3),
                grant.exists(
                  grant
                    .selectFrom('team_unit')
                    .select('team_unit.team_id')
                    .whereRef('team_unit.team_id', '=', 'team.id')
                    .where('team_unit.unit', '=', 'pulls')
                    .where('team_unit.access_mode', '>=', 1),
                ),
              ]),
            ),
        ),
        ...(isPrivate
          ? []
          : [
              where.exists(
                where
                  .selectFrom('watch')
                  .select('watch.user_id')
                  .whereRef('watch.user_id', '=', 'user.id')
                  .where('watch.repo_id', '=', repoId)
                  .where('watch.mode', '!=', 'dont'),
              ),
              where.exists(
                where
                  .selectFrom('org_user')
                  .select('org_user.user_id')
                  .whereRef('org_user.user_id', '=', 'user.id')
                  .where('org_user.org_id', '=', ownerId),
              ),
            ]),
      ]),
    )
    .orderBy('lower_name')
    .execute()
