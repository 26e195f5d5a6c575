import { bytewise } from '../../db/bytewise.ts'
import type { Db, Tx } from '../../db/database.ts'
import { countRows, hasRow } from '../../db/rows.ts'
import type { TagRow } from '../../db/tables/repositories.ts'
import type { RepoId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'

const tagsOf = (db: Db, repoId: RepoId) =>
  db.selectFrom('tag').where('repo_id', '=', repoId).where('is_deleted', '=', false)

/** Tags by time, newest first; in one second annotated tags come first, then by name bytewise. */
export const listTags = (db: Db, repoId: RepoId, page: Pick<Page, 'limit' | 'offset'>): Promise<TagRow[]> =>
  tagsOf(db, repoId)
    .selectAll()
    .orderBy('created_unix', 'desc')
    .orderBy((where) => where.case().when('oid', '=', where.ref('commit_oid')).then(1).else(0).end())
    .orderBy(bytewise(db, 'name'))
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countTags = (db: Db, repoId: RepoId): Promise<number> => countRows(tagsOf(db, repoId))

export const findTag = (db: Db, repoId: RepoId, name: string): Promise<TagRow | undefined> =>
  tagsOf(db, repoId).selectAll().where('name', '=', name).executeTakeFirst()

/** Whether a release or draft has exactly this tag. */
export const hasRelease = (db: Db, repoId: RepoId, name: string): Promise<boolean> =>
  hasRow(db.selectFrom('release').where('repo_id', '=', repoId).where('tag_name', '=', name))

/** Download counts of tag archives by format. */
export const listArchiveDownloads = (db: Db, repoId: RepoId, tagNames: readonly string[]) =>
  db
    .selectFrom('archive_download')
    .select(['tag_name', 'format', 'count'])
    .where('repo_id', '=', repoId)
    .where('tag_name', 'in', tagNames)
    .execute()

/** Counts a download of a tag archive. */
export const countArchiveDownload = (tx: Tx, repoId: RepoId, tagName: string, format: string) =>
  tx
    .insertInto('archive_download')
    .values({ repo_id: repoId, tag_name: tagName, format, count: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['repo_id', 'tag_name', 'format'])
        .doUpdateSet((set) => ({ count: set('archive_download.count', '+', 1) })),
    )
    .execute()
