import type { Oid, RepoId } from '../../lib/ids.ts'

/** The commit up to which `wiki_page` covers the wiki's history; without a row, nothing is covered. */
export interface WikiIndexTable {
  repo_id: RepoId
  head_oid: Oid
}

/** The history of one file at the wiki's root. The file may be deleted. */
export interface WikiPageTable {
  repo_id: RepoId
  file: string
  /** The newest commit that changed the file. */
  last_oid: Oid
  /** The number of commits that changed the file. */
  commit_count: number
}

export interface WikiTables {
  wiki_index: WikiIndexTable
  wiki_page: WikiPageTable
}
