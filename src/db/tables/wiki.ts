import type { Insertable } from 'kysely'
import type { Oid, RepoId } from '../../lib/ids.ts'

/** Up to which commit `wiki_page` knows the history of a wiki; no row: nothing is known. */
export interface WikiIndexTable {
  repo_id: RepoId
  head_oid: Oid
}

/** What the history of a wiki says of one file at its root, which may be gone by now. */
export interface WikiPageTable {
  repo_id: RepoId
  file: string
  /** The newest commit that touched it. */
  last_oid: Oid
  /** How many did. */
  commit_count: number
}

export interface WikiTables {
  wiki_index: WikiIndexTable
  wiki_page: WikiPageTable
}

export type NewWikiPageRow = Insertable<WikiPageTable>
