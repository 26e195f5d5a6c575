import { teamHoldsRepo } from './team-holds.store.ts'
import type { SelectQueryBuilder } from 'kysely'
import { isPublicOnly, type Viewer } from '../auth/viewer.ts'
import type { Schema } from '../db/schema.ts'
import type { UserTable } from '../db/tables/accounts.ts'
import type { UserId } from '../lib/ids.ts'

/** Who looks at a list of repositories, and how much of it. */
export interface Looker {
  /** Undefined: a guest. */
  readonly id: UserId | undefined
  readonly isAdmin: boolean
  readonly isRestricted: boolean
  /** Public repositories alone, whoever it is. */
  readonly publicOnly: boolean
}

type WithOwner = Schema & { owner: UserTable }

/**
 * Limits a query of `repo` joined with its `owner` to what the looker may see; the same rules in SQL as `computeRights`
 * has for one repository (contract, permissions: rank and unit access).
 */
export function visibleTo<Selected>(
  query: SelectQueryBuilder<WithOwner, 'repo' | 'owner', Selected>,
  looker: Looker,
): SelectQueryBuilder<WithOwner, 'repo' | 'owner', Selected> {
  const { id, isAdmin, isRestricted, publicOnly } = looker
  const limited = publicOnly ? query.where('repo.is_private', '=', false) : query
  if (isAdmin) return limited
  if (id === undefined) return limited.where('repo.is_private', '=', false).where('owner.visibility', '=', 'public')
  return limited.where((where) =>
    where.or([
      where('repo.owner_id', '=', id),
      ...(isRestricted
        ? []
        : [
            where.and([
              where('repo.is_private', '=', false),
              where.or([
                where('owner.visibility', '!=', 'private'),
                where.exists(
                  where
                    .selectFrom('org_user')
                    .select('org_user.org_id')
                    .whereRef('org_user.org_id', '=', 'repo.owner_id')
                    .where('org_user.user_id', '=', id),
                ),
              ]),
            ]),
          ]),
      where.exists(
        where
          .selectFrom('collaboration')
          .select('collaboration.repo_id')
          .whereRef('collaboration.repo_id', '=', 'repo.id')
          .where('collaboration.user_id', '=', id)
          .where('collaboration.access_mode', '>', 0),
      ),
      where.exists(
        where
          .selectFrom('team_user')
          .innerJoin('team', 'team.id', 'team_user.team_id')
          .select('team_user.team_id')
          .where('team_user.user_id', '=', id)
          .whereRef('team.org_id', '=', 'repo.owner_id')
          .where(teamHoldsRepo('repo.id'))
          .where((grant) =>
            grant.or([
              grant('team.access_mode', '>=', 3),
              grant.exists(
                grant
                  .selectFrom('team_unit')
                  .innerJoin('repo_unit', 'repo_unit.unit', 'team_unit.unit')
                  .select('team_unit.team_id')
                  .whereRef('team_unit.team_id', '=', 'team.id')
                  .whereRef('repo_unit.repo_id', '=', 'repo.id')
                  .where('team_unit.access_mode', '>', 0),
              ),
            ]),
          ),
      ),
    ]),
  )
}

/** Who looks at lists in a request. */
export const lookerOf = (viewer: Viewer | undefined): Looker => ({
  id: viewer?.id,
  isAdmin: viewer?.isAdmin ?? false,
  isRestricted: viewer?.isRestricted ?? false,
  publicOnly: isPublicOnly(viewer),
})
