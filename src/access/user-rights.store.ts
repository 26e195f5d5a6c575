import { teamHoldsRepo } from './team-holds.store.ts'
import type { Db } from '../db/database.ts'
import type { RepoId, UserId } from '../lib/ids.ts'

export const listCollaborationsOf = (db: Db, repoId: RepoId, userIds: readonly UserId[]) =>
  db
    .selectFrom('collaboration')
    .select(['user_id', 'access_mode'])
    .where('repo_id', '=', repoId)
    .where('user_id', 'in', userIds)
    .execute()

export const listMembersAmong = (db: Db, orgId: UserId, userIds: readonly UserId[]) =>
  db.selectFrom('org_user').select('user_id').where('org_id', '=', orgId).where('user_id', 'in', userIds).execute()

/** What teams give to each of several people in one repository; one row for each person, team and unit. */
export const listTeamGrantsOf = (db: Db, orgId: UserId, repoId: RepoId, userIds: readonly UserId[]) =>
  db
    .selectFrom('team_user')
    .innerJoin('team', 'team.id', 'team_user.team_id')
    .leftJoin('team_unit', 'team_unit.team_id', 'team.id')
    .select([
      'team_user.user_id',
      'team.id as team_id',
      'team.access_mode',
      'team_unit.unit',
      'team_unit.access_mode as unit_mode',
    ])
    .where('team.org_id', '=', orgId)
    .where('team_user.user_id', 'in', userIds)
    .where(teamHoldsRepo(repoId))
    .execute()

/** Which of some teams an account is on. */
export const listTeamIdsOf = async (db: Db, userId: UserId, orgId: UserId) =>
  db.selectFrom('team_user').select('team_id').where('user_id', '=', userId).where('org_id', '=', orgId).execute()
