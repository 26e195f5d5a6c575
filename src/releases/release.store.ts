import { sql } from 'kysely'
import type { Counter } from '../access/contributions/counter.ts'
import type { Db, Tx } from '../db/database.ts'
import { textList, textListText } from '../db/id-list.ts'
import { contains } from '../db/like.ts'
import { countRows } from '../db/rows.ts'
import type { NewReleaseRow, ReleaseChange, ReleaseRow } from '../db/tables/releases.ts'
import type { TagRow } from '../db/tables/repositories.ts'
import type { ReleaseId, RepoId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'

export const findRelease = (db: Db, repoId: RepoId, id: ReleaseId): Promise<ReleaseRow | undefined> =>
  db.selectFrom('release').selectAll().where('repo_id', '=', repoId).where('id', '=', id).executeTakeFirst()

/** Returns the release of a tag, ignoring letter case. */
export const findReleaseByTag = (db: Db | Tx, repoId: RepoId, tag: string): Promise<ReleaseRow | undefined> =>
  db
    .selectFrom('release')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('lower_tag_name', '=', tag.toLowerCase())
    .executeTakeFirst()

/** Returns the newest release that is neither a draft nor a pre-release. */
export const findLatestRelease = (db: Db, repoId: RepoId): Promise<ReleaseRow | undefined> =>
  db
    .selectFrom('release')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('is_draft', '=', false)
    .where('is_prerelease', '=', false)
    .orderBy('created_unix', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

/** The conditions of a list of releases. An undefined condition filters nothing. */
export interface ReleaseFilter {
  /** False for viewers who must not see drafts. */
  readonly withDrafts: boolean
  readonly isDraft?: boolean | undefined
  readonly isPrerelease?: boolean | undefined
  /** A part of the tag, the title or the text, ignoring letter case. */
  readonly text?: string | undefined
}

function matching(db: Db, repoId: RepoId, { withDrafts, isDraft, isPrerelease, text }: ReleaseFilter) {
  let query = db.selectFrom('release').where('repo_id', '=', repoId)
  if (!withDrafts) query = query.where('is_draft', '=', false)
  if (isDraft !== undefined) query = query.where('is_draft', '=', isDraft)
  if (isPrerelease !== undefined) query = query.where('is_prerelease', '=', isPrerelease)
  if (text) {
    query = query.where((where) =>
      where.or([contains('lower_tag_name', text), contains('title', text), contains('content', text)]),
    )
  }
  return query
}

/** Returns releases, the newest first. */
export const listReleases = (db: Db, repoId: RepoId, filter: ReleaseFilter, page: Page): Promise<ReleaseRow[]> =>
  matching(db, repoId, filter)
    .selectAll()
    .orderBy('created_unix', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countReleases = (db: Db, repoId: RepoId, filter: ReleaseFilter): Promise<number> =>
  countRows(matching(db, repoId, filter))

/** Returns the published releases of exactly these tags. */
export const listPublishedOfTags = (tx: Db | Tx, repoId: RepoId, tags: readonly string[]): Promise<ReleaseRow[]> =>
  tags.length === 0
    ? Promise.resolve([])
    : tx
        .selectFrom('release')
        .selectAll()
        .where('repo_id', '=', repoId)
        .where('tag_name', 'in', textList(tx, textListText(tags)))
        .where('is_draft', '=', false)
        .execute()

export const insertRelease = (tx: Tx, values: NewReleaseRow): Promise<ReleaseRow> =>
  tx.insertInto('release').values(values).returningAll().executeTakeFirstOrThrow()

export const updateRelease = (tx: Tx, id: ReleaseId, change: ReleaseChange): Promise<ReleaseRow> =>
  tx.updateTable('release').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

export const deleteReleaseRow = (tx: Tx, id: ReleaseId): Promise<ReleaseRow | undefined> =>
  tx.deleteFrom('release').where('id', '=', id).returningAll().executeTakeFirst()

/** Returns a release and locks its row until the transaction ends. */
export const findReleaseForUpdate = (tx: Tx, id: ReleaseId): Promise<ReleaseRow | undefined> =>
  tx
    .updateTable('release')
    .set({ created_unix: sql`created_unix` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/** Returns a tag and locks its row until the transaction ends; undefined when it does not exist. */
export const findTagForUpdate = (tx: Tx, repoId: RepoId, name: string): Promise<TagRow | undefined> =>
  tx
    .updateTable('tag')
    .set({ oid: sql`oid` })
    .where('repo_id', '=', repoId)
    .where('name', '=', name)
    .where('is_deleted', '=', false)
    .returningAll()
    .executeTakeFirst()

/** Adds to the number of published releases, and locks the repository's row until the transaction ends. */
export const addToReleaseCount = (tx: Tx, repoId: RepoId, difference: number) =>
  tx
    .updateTable('repo')
    .set({ num_releases: sql`num_releases + ${difference}` })
    .where('id', '=', repoId)
    .execute()

export const releaseCounters: readonly Counter[] = [
  {
    table: 'repo',
    column: 'num_releases',
    count: sql`(select count(*) from "release" where "release".repo_id = it.id and not "release".is_draft)`,
  },
]
