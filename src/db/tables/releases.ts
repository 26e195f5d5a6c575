import type { Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { ReleaseId, RepoId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Releases and drafts of them; a tag has one at most. Its files are rows of `attachment`. */
export interface ReleaseTable {
  id: Generated<ReleaseId>
  repo_id: RepoId
  tag_name: string
  /** Tags of releases compare without case. */
  lower_tag_name: string
  /** Where the tag is made when the release is published: a branch, tag or commit, as it was sent. */
  target: string
  title: string
  content: string
  /** Seen by those who write releases alone; a draft may have a tag that git does not know. */
  is_draft: boolean
  is_prerelease: boolean
  hides_archive_links: boolean
  /** The account may be gone. */
  publisher_id: UserId
  /** Name of who published it, where it was imported from; empty for those made here. */
  original_author: Generated<string>
  created_unix: Unix
}

export interface ReleaseTables {
  release: ReleaseTable
}

export type ReleaseRow = Selectable<ReleaseTable>
export type NewReleaseRow = Insertable<ReleaseTable>
export type ReleaseChange = Updateable<ReleaseTable>
