import { sql, type SqlBool } from 'kysely'
import type { Viewer } from '../../auth/viewer.ts'
import { allOf, anyOf, asCondition, type Condition, type Term } from './condition.store.ts'

/** Returns whether the viewer sees every account, so that no condition is needed. */
export const seesAllAccounts = (viewer: Viewer): boolean => viewer.isAdmin && !viewer.limit.publicOnly

/** Returns the condition that the viewer sees a row of `user`: the rule of `maySeeAccount` as SQL. */
export const accountsShownTo = (viewer: Viewer | undefined): Condition =>
  shownTo(
    viewer,
    viewer !== undefined &&
      sql<SqlBool>`exists (select 1 from org_user where org_user.org_id = "user".id
        and org_user.user_id = ${viewer.id})`,
  )

/** The reader of a list of accounts: a viewer, an anonymous visitor (undefined), or a reader who sees all accounts. */
export type Onlooker = Viewer | undefined | 'seesAll'

/** Returns whether the onlooker sees every account of a list. */
export const isEveryoneShown = (onlooker: Onlooker): boolean =>
  onlooker === 'seesAll' || (onlooker !== undefined && seesAllAccounts(onlooker))

/** Returns the condition that the onlooker sees a row of `user`. */
export const accountsShownIn = (onlooker: Onlooker): Condition =>
  onlooker === 'seesAll' ? asCondition(true) : accountsShownTo(onlooker)

/**
 * Returns the condition that the onlooker sees the account that a column names, for queries without the table `user`. It
 * reads one index entry for each row.
 */
export const isAccountShownIn = (onlooker: Onlooker, column: string): Condition =>
  isEveryoneShown(onlooker)
    ? asCondition(true)
    : sql<SqlBool>`(select 1 from "user" where "user".id = ${sql.ref(column)} and ${accountsShownIn(onlooker)} limit 1)
        is not null`

/** Returns the condition that the viewer sees a row of `user` that is a person. People have no members. */
export const peopleShownTo = (viewer: Viewer | undefined): Condition => shownTo(viewer, false)

function shownTo(viewer: Viewer | undefined, isMemberOf: Term): Condition {
  const isPublic = sql<SqlBool>`"user".visibility = 'public'`
  if (!viewer) return isPublic
  const isSelf = sql<SqlBool>`"user".id = ${viewer.id}`
  // The terms that decide most rows come first.
  const shown = anyOf(
    viewer.isAdmin,
    !viewer.isRestricted && sql<SqlBool>`"user".visibility <> 'private'`,
    isSelf,
    isMemberOf,
  )
  return asCondition(allOf(shown, !viewer.limit.publicOnly || anyOf(isPublic, isSelf)))
}
