import type { Insertable, Selectable, Updateable } from 'kysely'
import type { ReleaseId, RepoId, UserId } from '../../lib/ids.ts'
import { bigint, flag, id, ref, table, text, unix, type TablesOf } from '../table.ts'

export const releaseTables = {
  /** Releases and drafts. A tag has at most one. The files are rows of `attachment`. */
  release: table(
    {
      id: id<ReleaseId>(),
      repo_id: ref<RepoId>('repo', 'cascade'),
      tag_name: text(),
      /** The tags of releases are compared without case. */
      lower_tag_name: text(),
      /** The target of the tag that publishing creates: a branch, tag or commit, as sent. */
      target: text(),
      title: text(),
      content: text(),
      /** Only accounts that may write releases see drafts. The tag of a draft need not exist in git. */
      is_draft: flag(),
      is_prerelease: flag(),
      hides_archive_links: flag(),
      /** The account may be deleted. */
      publisher_id: bigint<UserId>(),
      created_unix: unix(),
      /** The publisher's name on the source server of an import; empty for local accounts. */
      original_author: text(''),
    },
    { unique: [['repo_id', 'lower_tag_name']], indexes: { release_list: '(repo_id, created_unix desc, id desc)' } },
  ),
}

export type ReleaseTables = TablesOf<typeof releaseTables>
export type ReleaseRow = Selectable<ReleaseTables['release']>
export type NewReleaseRow = Insertable<ReleaseTables['release']>
export type ReleaseChange = Updateable<ReleaseTables['release']>
