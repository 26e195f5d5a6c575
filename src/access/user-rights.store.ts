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

/** Returns those of some teams that an account is on. */
export const listTeamIdsOf = async (db: Db, userId: UserId, orgId: UserId) =>
  db.selectFrom('team_user').select('team_id').where('user_id', '=', userId).where('org_id', '=', orgId).execute()
