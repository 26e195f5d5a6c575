import type { Oid, RepoId } from '../../lib/ids.ts'
import { integer, primaryKey, ref, table, text, type TablesOf } from '../table.ts'

export const wikiTables = {
  /** The commit up to which `wiki_page` covers the wiki's history; without a row, nothing is covered. */
  wiki_index: table({
    repo_id: primaryKey(ref<RepoId>('repo', 'cascade')),
    head_oid: text<Oid>(),
  }),

  /** The history of one file at the wiki's root. The file may be deleted. */
  wiki_page: table(
    {
      repo_id: ref<RepoId>('repo', 'cascade'),
      file: text(),
      /** The newest commit that changed the file. */
      last_oid: text<Oid>(),
      /** The number of commits that changed the file. */
      commit_count: integer(),
    },
    { primaryKey: ['repo_id', 'file'] },
  ),
}

export type WikiTables = TablesOf<typeof wikiTables>
