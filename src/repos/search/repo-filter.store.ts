import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { contributedTo, heldByTeam } from '../../access/conditions/contributions.store.ts'
import { allAudiences, type Audiences } from '../../access/conditions/visible-repos.store.ts'
import type { Db } from '../../db/database.ts'
import { contains, lowerContains } from '../../db/like.ts'
import { withoutIndex } from '../../db/portable.ts'
import type { RepoId, TeamId, UserId } from '../../lib/ids.ts'
import { isWatcher } from '../watcher.store.ts'

/** Which repositories a list has. An absent filter limits nothing. */
export interface RepoFilter {
  readonly ownerId?: UserId | undefined
  /** Owned by this account, or it contributes to them: as a collaborator, by a team, in its organizations. */
  readonly contributorId?: UserId | undefined
  /** Who may learn what `contributorId` contributes to: another account, or a guest. Unless set, everything counts. */
  readonly contributionsKnownTo?: UserId | 'guest' | undefined
  readonly teamId?: TeamId | undefined
  readonly starredBy?: UserId | undefined
  readonly watchedBy?: UserId | undefined
  /** The account hears of them otherwise than of others: everything, releases or nothing. */
  readonly heardBy?: UserId | undefined
  readonly forkId?: RepoId | undefined
  /** This repository, its origin, the forks of its origin, and its own forks. */
  readonly relatedTo?: { readonly id: RepoId; readonly fork_id: RepoId | null } | undefined
  /** The name, a topic or (when asked for) the description contains one of these texts. */
  readonly words?: readonly string[] | undefined
  /** The words are whole names of topics and nothing else. */
  readonly topicsOnly?: boolean | undefined
  readonly alsoDescription?: boolean | undefined
  readonly notOwnedBy?: UserId | undefined
  readonly isPrivate?: boolean | undefined
  /** Only public repositories of public owners. */
  readonly publicOwnersOnly?: boolean | undefined
  readonly isTemplate?: boolean | undefined
  readonly isArchived?: boolean | undefined
  readonly isFork?: boolean | undefined
  readonly isMirror?: boolean | undefined
  /** The primary language, as the last count names it. */
  readonly language?: string | undefined
}

/** A condition for a row of `repo`. */
export type Condition = RawBuilder<SqlBool>

/** A filter as conditions. A row that the filter leaves satisfies one of them. `column` names a column of `repo`. */
type Filter = (column: (name: string) => RawBuilder<unknown>) => readonly Condition[]

/** What finds the rows of a list, and what is checked in the rows. */
export interface SplitFilter {
  /** Conditions that find the rows, each by an index. Each row satisfies one of them. Undefined: no filter finds rows. */
  readonly lead: readonly Condition[] | undefined
  /** Conditions of all other filters, which use no index. */
  readonly rest: readonly Condition[]
  /** The condition of the lead for a row that is found otherwise; it uses no index. */
  readonly satisfiesLead: Condition | undefined
}

export const either = (conditions: readonly Condition[]): Condition =>
  sql<SqlBool>`(${sql.join(conditions, sql` or `)})`

const indexed = (name: string) => sql.ref(`repo.${name}`)

const unindexed = (db: Db) => (name: string) => withoutIndex(db, `repo.${name}`)

/** Splits a filter into the condition that finds the rows and those that are checked in them. */
export function splitFilter(db: Db, filter: RepoFilter): SplitFilter {
  const [lead, ...others] = leadsOf(filter)
  const checked = (each: Filter) => either(each(unindexed(db)))
  const marks = marksOf(db, filter)
  const words = filter.topicsOnly ? [] : wordsOf(filter)
  // No index finds rows by words or marks. One scan finds the rows of all of them.
  const isScanned = words.length > 0 || isMarked(filter)
  const rest = [...others.map(checked), ...words, ...marks]
  if (lead) return { lead: lead(indexed), rest, satisfiesLead: checked(lead) }
  return { lead: isScanned ? [sql<SqlBool>`1 = 1`] : undefined, rest, satisfiesLead: undefined }
}

/** Returns the filters that an index finds, the one that usually leaves the fewest repositories first. */
function leadsOf(filter: RepoFilter): Filter[] {
  const { forkId, relatedTo, teamId, starredBy, watchedBy, heardBy, ownerId, contributorId, contributionsKnownTo } =
    filter
  const leads: Filter[] = []
  if (teamId !== undefined) leads.push((column) => heldByTeam(teamId, column))
  if (ownerId !== undefined) leads.push((column) => [sql<SqlBool>`${column('owner_id')} = ${ownerId}`])
  if (forkId !== undefined) leads.push((column) => [sql<SqlBool>`${column('fork_id')} = ${forkId}`])
  if (relatedTo !== undefined) leads.push((column) => relatives(column, relatedTo))
  if (starredBy !== undefined) leads.push((column) => [isAmong(column, 'star', starredBy)])
  if (watchedBy !== undefined) {
    leads.push((column) => [isAmong(column, 'watch', watchedBy, sql`and ${isWatcher('mode')}`)])
  }
  if (heardBy !== undefined) leads.push((column) => [isAmong(column, 'watch', heardBy, sql`and mode <> 'dont'`)])
  if (contributorId !== undefined) {
    leads.push((column) => contributedTo(contributorId, contributionsKnownTo, column))
  }
  const { words = [], topicsOnly } = filter
  if (topicsOnly && words.length > 0) {
    const isNamed = sql<SqlBool>`topic.name in (${sql.join(words.map((word) => word.toLowerCase()))})`
    leads.push((column) => [hasTopic(column('id'), isNamed)])
  }
  return leads
}

/** The forks of an origin include the repository itself. */
const relatives = (
  column: (name: string) => RawBuilder<unknown>,
  { id, fork_id: originId }: NonNullable<RepoFilter['relatedTo']>,
): readonly Condition[] => [
  sql<SqlBool>`${column('fork_id')} = ${id}`,
  ...(originId === null
    ? [sql<SqlBool>`${column('id')} = ${id}`]
    : [sql<SqlBool>`${column('id')} = ${originId}`, sql<SqlBool>`${column('fork_id')} = ${originId}`]),
]

const isAmong = (
  column: (name: string) => RawBuilder<unknown>,
  table: 'star' | 'watch',
  userId: UserId,
  beside: RawBuilder<unknown> = sql``,
): Condition =>
  sql<SqlBool>`${column('id')} in (select repo_id from ${sql.table(table)} where user_id = ${userId} ${beside})`

const hasTopic = (id: RawBuilder<unknown>, isNamed: Condition): Condition =>
  sql<SqlBool>`${id} in (select repo_topic.repo_id from topic
    cross join repo_topic where ${isNamed} and repo_topic.topic_id = topic.id)`

/** Returns the condition that the name, a topic or the description contains one of the words. */
function wordsOf({ words = [], alsoDescription }: RepoFilter): Condition[] {
  if (words.length === 0) return []
  const isNamed = words.flatMap((word) => {
    const [owner, name, ...rest] = word.split('/')
    return [
      lowerContains('repo.lower_name', word),
      ...(owner !== undefined && name !== undefined && rest.length === 0
        ? [
            sql<SqlBool>`(${lowerContains('repo.owner_lower_name', owner)} and ${lowerContains('repo.lower_name', name)})`,
          ]
        : []),
      ...(alsoDescription ? [contains('repo.description', word)] : []),
    ]
  })
  const isTopic = either(words.map((word) => lowerContains('topic.name', word)))
  return [either([...isNamed, hasTopic(sql.ref('repo.id'), isTopic)])]
}

const isMarked = ({ isTemplate, isArchived, isFork, isMirror, language }: RepoFilter): boolean =>
  isTemplate === true || isArchived === true || isFork === true || isMirror === true || language !== undefined

function marksOf(db: Db, filter: RepoFilter): Condition[] {
  const column = unindexed(db)
  const marks = {
    is_template: filter.isTemplate,
    is_archived: filter.isArchived,
    is_fork: filter.isFork,
    is_mirror: filter.isMirror,
  }
  return [
    ...Object.entries(marks).flatMap(([name, value]) =>
      value === undefined ? [] : [sql<SqlBool>`${column(name)} = ${sql.lit(value)}`],
    ),
    ...(filter.language === undefined ? [] : [sql<SqlBool>`${column('primary_language')} = ${filter.language}`]),
    ...(filter.notOwnedBy === undefined ? [] : [sql<SqlBool>`${column('owner_id')} <> ${filter.notOwnedBy}`]),
  ]
}

/** Returns the audiences that a filter leaves. Private repositories are an audience of their own. */
export const audiencesOf = ({ isPrivate, publicOwnersOnly }: RepoFilter): Audiences => ({
  least: isPrivate ? allAudiences.most : allAudiences.least,
  most: publicOwnersOnly ? 0 : isPrivate === false ? 2 : allAudiences.most,
})
