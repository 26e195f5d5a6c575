import type { Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { ReleaseId, RepoId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Releases and drafts. A tag has at most one. The files are rows of `attachment`. */
export interface ReleaseTable {
  id: Generated<ReleaseId>
  repo_id: RepoId
  tag_name: string
  /** The tags of releases are compared without case. */
  lower_tag_name: string
  /** The target of the tag that publishing creates: a branch, tag or commit, as sent. */
  target: string
  title: string
  content: string
  /** Only accounts that may write releases see drafts. The tag of a draft need not exist in git. */
  is_draft: boolean
  is_prerelease: boolean
  hides_archive_links: boolean
  /** The account may be deleted. */
  publisher_id: UserId
  /** The publisher's name on the source server of an import; empty for local accounts. */
  original_author: Generated<string>
  created_unix: Unix
}

export interface ReleaseTables {
  release: ReleaseTable
}

export type ReleaseRow = Selectable<ReleaseTable>
export type NewReleaseRow = Insertable<ReleaseTable>
export type ReleaseChange = Updateable<ReleaseTable>
