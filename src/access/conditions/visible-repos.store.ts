import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Viewer } from '../../auth/viewer.ts'
import type { Db } from '../../db/database.ts'
import { idList, idListText } from '../../db/id-list.ts'
import { withoutIndex } from '../../db/portable.ts'
import { askAgain } from '../../db/prepared.ts'
import { stepByStep, type Step } from '../../db/steps.ts'
import type { RepoUnit } from '../../db/tables/repositories.ts'
import type { RepoId } from '../../lib/ids.ts'
import { limited, pairOf, teamGives } from './access-terms.store.ts'
import { anyOf, asCondition, type Condition, type Term } from './condition.store.ts'
import { teamHoldsAll, teamsOfMembers } from './team-holds.store.ts'

/*
 * Which repositories a viewer sees, for lists of many. `repo.audience`, which a trigger keeps, decides most of them:
 * 0 everybody, 1 accounts that are not restricted, 2 members of the organization, 3 those who were given access,
 * 4 nobody. The rest are the repositories that the viewer was given.
 */

/** A range of `repo.audience`, both ends inclusive. */
export interface Audiences {
  readonly least: number
  readonly most: number
}

/** All audiences except 4, whose repositories nobody can see. */
export const allAudiences: Audiences = { least: 0, most: 3 }

/** Returns the widest `repo.audience` that a viewer without grants can read; -1: none. */
const openAudience = (viewer: Viewer | undefined): number =>
  viewer === undefined ? 0 : viewer.isAdmin ? 3 : viewer.isRestricted ? -1 : 1

/** Returns the widest of the given audiences that the viewer can read, within the credential's limit; -1: none. */
export const widestOpen = (viewer: Viewer | undefined, { most }: Audiences): number =>
  viewer?.limit.repo ? -1 : Math.min(openAudience(viewer), viewer?.limit.publicOnly ? 0 : 3, most)

/** Returns the audiences whose repositories the viewer sees only by a grant; undefined: the list has none of them. */
function givenAudiences(viewer: Viewer | undefined, { least, most }: Audiences): Audiences | undefined {
  const first = Math.max(least, openAudience(viewer) + 1)
  return viewer === undefined || viewer.isAdmin || viewer.limit.repo || first > most
    ? undefined
    : { least: first, most }
}

const isAmong = ({ least, most }: Audiences): Condition =>
  sql<SqlBool>`repo.audience between ${sql.lit(least)} and ${sql.lit(most)}`

/** Like `isAmong`, for rows that another condition finds: it uses no index of the audience. */
const isAmongFound = ({ least, most }: Audiences, db: Db | undefined): Condition => {
  const audience = db ? withoutIndex(db, 'repo.audience') : sql`repo.audience + 0`
  return sql<SqlBool>`${audience} between ${sql.lit(least)} and ${sql.lit(most)}`
}

/**
 * Returns a query of the repositories that a viewer was given and that are not open to the viewer: owned, collaborated on,
 * of an organization that shows them to members, or held by a team.
 * @param team the condition that a row of `team` gives the access
 * @param db undefined where the query does not know its database
 */
function givenRepos(viewer: Viewer, team: Term, db?: Db): RawBuilder<RepoId> {
  const least = sql.lit(viewer.isRestricted ? 0 : 2)
  // The rows of the viewer lead to the repositories, in this order. Only organizations that hide a repository matter. Teams
  // that hold all repositories are separate, so that many teams of one organization do not read each repository again.
  const hiding: Step = {
    table: 'hiding',
    rows: sql`(select distinct org_id from team_user where user_id = ${viewer.id})`,
    where: sql<SqlBool>`(select 1 from repo where repo.owner_id = hiding.org_id and repo.audience >= ${least} limit 1) is not null`,
  }
  const ofViewer = sql<SqlBool>`team.user_id = ${viewer.id} and team.org_id = hiding.org_id`
  const isOfTeam = sql<SqlBool>`repo.audience >= ${least} and ${asCondition(team)}`
  const reposBy = (first: Step, ...others: readonly Step[]) =>
    sql` union all select repo.id ${stepByStep(db, first, ...others)}`
  const byTeams =
    team === false
      ? []
      : [
          reposBy(hiding, teamsOfMembers(sql<SqlBool>`${ofViewer} and ${teamHoldsAll}`), {
            table: 'repo',
            where: sql<SqlBool>`repo.owner_id = team.org_id and ${isOfTeam}`,
          }),
          reposBy(
            hiding,
            teamsOfMembers(ofViewer),
            { table: 'team_repo', where: sql<SqlBool>`team_repo.team_id = team.id` },
            {
              table: 'repo',
              where: sql<SqlBool>`repo.id = team_repo.repo_id and repo.owner_id = team.org_id and ${isOfTeam}`,
            },
          ),
        ]
  const shownToMembers = viewer.isRestricted
    ? []
    : [
        reposBy(
          { table: 'org_user', where: sql<SqlBool>`org_user.user_id = ${viewer.id}` },
          { table: 'repo', where: sql<SqlBool>`repo.owner_id = org_user.org_id and repo.audience = 2` },
        ),
      ]
  return sql`(select repo.id from repo where repo.owner_id = ${viewer.id} and repo.audience >= ${least}
    union all select repo_id from collaboration
      where user_id = ${viewer.id} and audience >= ${least} and access_mode >= 1${sql.join([...shownToMembers, ...byTeams], sql``)})`
}

const anyUnit = { mode: 1 } as const

/** Returns the condition that a viewer sees a row of `repo`. */
export function isVisible(viewer: Viewer | undefined): Condition {
  const pair = pairOf(viewer, 'repo')
  const isOpenTo = sql<SqlBool>`repo.audience <= ${sql.lit(openAudience(viewer))}`
  const isGiven =
    viewer !== undefined && !viewer.isAdmin && sql<SqlBool>`repo.id in ${givenRepos(viewer, teamGives(pair, anyUnit))}`
  return asCondition(limited(pair, anyUnit, anyOf(isOpenTo, isGiven)))
}

/** The right side of `in` for the repositories granted to a viewer, or `none`. */
export type GivenRepos = RawBuilder<number> | 'none'

export interface VisibleOptions {
  readonly audiences?: Audiences
  /** True: one condition for each open audience, so that an index gives the order. False: one condition for all of them. */
  readonly isOrdered?: boolean
  /** The result of `findGiven`, if the caller has it. */
  readonly given?: GivenRepos | undefined
  /** The database, if it is known. */
  readonly db?: Db
}

/**
 * Returns conditions for the rows of `repo` that a viewer sees. Each visible repository satisfies exactly one of them. No
 * condition: the viewer sees none.
 */
export function visibleParts(
  viewer: Viewer | undefined,
  { audiences = allAudiences, isOrdered = true, given, db }: VisibleOptions = {},
): Condition[] {
  const pair = pairOf(viewer, 'repo')
  const withLimit = (part: Term) => asCondition(limited(pair, anyUnit, part))
  if (viewer?.limit.repo) return [sql<SqlBool>`(${withLimit(true)} and ${isAmong(audiences)})`]
  const { least } = audiences
  const most = widestOpen(viewer, audiences)
  const single = Array.from({ length: Math.max(0, most - least + 1) }, (_, index) => least + index)
  const open = isOrdered
    ? single.map((audience) => sql<SqlBool>`repo.audience = ${sql.lit(audience)}`)
    : single.length === 0
      ? []
      : [isAmongFound({ least, most }, db)]
  const hidden = givenAudiences(viewer, audiences)
  const ids = given ?? (viewer ? givenRepos(viewer, teamGives(pair, anyUnit), db) : 'none')
  const beside = hidden === undefined || ids === 'none' ? [] : [sql<SqlBool>`${isAmong(hidden)} and repo.id in ${ids}`]
  return [...open, ...beside].map(withLimit)
}

/** Most repositories that are passed to a statement as a list. Statements find more by a subquery. */
const maxListed = 2000

/** Returns the ids of the rows of `repo` that satisfy a condition; undefined: they are more than `maxListed`. */
async function listIds(db: Db, condition: Condition): Promise<RepoId[] | undefined> {
  const rows = await askAgain(
    db,
    db
      .selectFrom('repo')
      .select('id')
      .where(condition)
      .limit(maxListed + 1),
  )
  return rows.length > maxListed ? undefined : rows.map((row) => row.id)
}

/**
 * Returns the repositories of some audiences that a viewer was given, for all statements of a list; undefined: they are
 * too many for a list.
 */
export async function findGiven(
  db: Db,
  viewer: Viewer | undefined,
  audiences: Audiences,
): Promise<GivenRepos | undefined> {
  const part = givenAudiences(viewer, audiences) && visibleParts(viewer, { audiences, db }).at(-1)
  if (!part) return 'none'
  const ids = await listIds(db, part)
  return ids && (ids.length === 0 ? 'none' : idList(db, idListText(ids)))
}

/** The repositories whose unit a viewer may read. */
export interface ReadableRepos {
  /** The widest audience that the viewer can read completely; -1: none. */
  readonly open: number
  /** The condition that a row of `repo` is readable. */
  readonly isReadable: Condition
  /** The condition that a row of `repo` is one of those that were given; undefined: nothing was given. */
  readonly isGiven: Condition | undefined
  /** Number of those that were given, at most `maxListed`. */
  readonly numGiven: number
}

/**
 * Returns, for each of the given units, the repositories whose unit a viewer may read, whether the unit is on or off. Units with the
 * same repositories share one object.
 */
export async function findReadable<Unit extends RepoUnit>(
  db: Db,
  viewer: Viewer | undefined,
  units: readonly Unit[],
): Promise<ReadonlyMap<Unit, ReadableRepos>> {
  const pair = pairOf(viewer, 'repo')
  const open = widestOpen(viewer, allAudiences)
  const hidden = givenAudiences(viewer, allAudiences)
  const same = (readable: ReadableRepos) => new Map(units.map((unit) => [unit, readable]))
  if (viewer?.limit.repo) {
    const isIt = asCondition(limited(pair, { mode: 1, evenIfOff: true }, true))
    return same({ open, isReadable: isIt, isGiven: isIt, numGiven: 1 })
  }
  const isOpenTo = sql<SqlBool>`repo.audience <= ${sql.lit(open)}`
  const nothing = same({ open, isReadable: isOpenTo, isGiven: undefined, numGiven: 0 })
  if (viewer === undefined || hidden === undefined) return nothing
  const givenIn = (chosen: readonly Unit[]): Condition => {
    const wanted = { units: chosen, mode: 1, evenIfOff: true } as const
    const ids = givenRepos(viewer, teamGives(pair, wanted), db)
    return asCondition(limited(pair, wanted, sql<SqlBool>`${isAmong(hidden)} and repo.id in ${ids}`))
  }
  const readable = (isGiven: Condition, numGiven: number): ReadableRepos => ({
    open,
    isReadable: asCondition(anyOf(isOpenTo, isGiven)),
    isGiven,
    numGiven,
  })
  const ofList = (ids: readonly RepoId[]) =>
    readable(sql<SqlBool>`repo.id in ${idList(db, idListText(ids))}`, ids.length)
  const ofAny = await listIds(db, givenIn(units))
  if (ofAny?.length === 0) return nothing
  if (ofAny && units.length === 1) return same(ofList(ofAny))
  const lists = await Promise.all(
    units.map((unit) => (ofAny ? listIds(db, givenIn([unit])) : Promise.resolve(undefined))),
  )
  // The repositories of one unit are among those of any unit. Equal numbers are equal sets.
  if (ofAny && lists.every((ids) => ids?.length === ofAny.length)) return same(ofList(ofAny))
  return new Map(
    units.map((unit, index) => {
      const ids = lists[index]
      return [unit, ids ? ofList(ids) : readable(givenIn([unit]), maxListed)]
    }),
  )
}
