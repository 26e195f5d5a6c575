import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { countRows } from '../../db/rows.ts'
import type { NewPushMirrorRow, PushMirrorChange, PushMirrorRow } from '../../db/tables/mirrors.ts'
import type { PushMirrorId, RepoId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'

export const findPushMirror = (db: Db, id: PushMirrorId): Promise<PushMirrorRow | undefined> =>
  db.selectFrom('push_mirror').selectAll().where('id', '=', id).executeTakeFirst()

export const findPushMirrorByName = (db: Db, repoId: RepoId, name: string): Promise<PushMirrorRow | undefined> =>
  db
    .selectFrom('push_mirror')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('remote_name', '=', name)
    .executeTakeFirst()

/** Returns a page of a repository's push mirrors by creation. */
export const listPushMirrors = (db: Db, repoId: RepoId, page: Page): Promise<PushMirrorRow[]> =>
  db
    .selectFrom('push_mirror')
    .selectAll()
    .where('repo_id', '=', repoId)
    .orderBy('id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

/** Returns the push mirrors of a repository whose last push failed. */
export const listFailingPushMirrors = (db: Db, repoId: RepoId): Promise<PushMirrorRow[]> =>
  db
    .selectFrom('push_mirror')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('last_error', '!=', '')
    .orderBy('id')
    .execute()

export const countPushMirrors = (db: Db | Tx, repoId: RepoId): Promise<number> =>
  countRows(db.selectFrom('push_mirror').where('repo_id', '=', repoId))

const idsOf = (rows: readonly { readonly id: PushMirrorId }[]): PushMirrorId[] => rows.map(({ id }) => id)

/** Returns all push mirrors of a repository, or those that follow each change. */
export async function listPushMirrorIds(
  db: Db | Tx,
  repoId: RepoId,
  only: { readonly onCommit?: true } = {},
): Promise<PushMirrorId[]> {
  let query = db.selectFrom('push_mirror').select('id').where('repo_id', '=', repoId)
  if (only.onCommit) query = query.where('pushes_on_commit', '=', true)
  return idsOf(await query.orderBy('id').execute())
}

/** Returns due push mirrors of repositories that are not archived, the longest waiting first. */
export const listDuePushMirrors = async (db: Db, nowUnix: Unix, limit: number): Promise<PushMirrorId[]> =>
  idsOf(
    await db
      .selectFrom('push_mirror')
      .innerJoin('repo', 'repo.id', 'push_mirror.repo_id')
      .select('push_mirror.id')
      .where('push_mirror.next_unix', '>', sql.lit(0))
      .where('push_mirror.next_unix', '<=', nowUnix)
      .where('repo.is_archived', '=', false)
      .orderBy('push_mirror.next_unix')
      .limit(limit)
      .execute(),
  )

export const insertPushMirror = (tx: Tx, values: NewPushMirrorRow): Promise<PushMirrorRow> =>
  tx.insertInto('push_mirror').values(values).returningAll().executeTakeFirstOrThrow()

export const updatePushMirror = (tx: Tx, id: PushMirrorId, change: PushMirrorChange) =>
  tx.updateTable('push_mirror').set(change).where('id', '=', id).execute()

export const deletePushMirror = (tx: Tx, repoId: RepoId, name: string) =>
  tx.deleteFrom('push_mirror').where('repo_id', '=', repoId).where('remote_name', '=', name).execute()
