import type { Insertable, Selectable, Updateable } from 'kysely'
import type { ImportId, RepoId, UserId } from '../../lib/ids.ts'
import { bigint, flag, id, nullable, ref, table, text, unix, type TablesOf } from '../table.ts'

export const importStates = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const
export type ImportState = (typeof importStates)[number]

export const importTables = {
  /** Repository imports from other servers, running and finished. */
  repo_import: table(
    {
      id: id<ImportId>(),
      /** The account that started the import. */
      doer_id: ref<UserId>('user', 'cascade'),
      /** The owner of the new repository. */
      owner_id: ref<UserId>('user', 'cascade'),
      /** The repository name in lower case. It is unique among the open imports of the owner. */
      lower_name: text(),
      /** JSON: what is imported, the source, and the settings of the repository (`WantedImport`). */
      wanted: text(),
      /**
       * JSON of the credentials for the source, sealed for the purpose `import-credentials`; empty without credentials and
       * after the import.
       */
      sealed_credentials: text(),
      state: text<ImportState>(),
      /** Whether somebody cancelled the import. */
      is_cancelled: flag(false),
      /** The current step; '' before the first step. */
      step: text(''),
      /** Where the step resumes, in a form private to the step; '' for its beginning. */
      cursor: text(''),
      /** Items completed in the current step. */
      done_count: bigint(0),
      /** JSON: the number of imported items per kind. */
      counts: text('{}'),
      /** JSON list: items that were skipped or changed. */
      notes: text('[]'),
      /** Why the import failed; empty otherwise. */
      problem: text(''),
      /** The repository; hidden until the import ends. */
      repo_id: nullable(ref<RepoId>('repo', 'set null')),
      created_unix: unix(),
      updated_unix: unix(),
    },
    {
      indexes: {
        repo_import_name: "unique (owner_id, lower_name) where state in ('waiting', 'running')",
        repo_import_doer: '(doer_id, id)',
        repo_import_repo: '(repo_id) where repo_id is not null',
        repo_import_owner: '(owner_id)',
      },
    },
  ),
}

export type ImportTables = TablesOf<typeof importTables>
export type ImportRow = Selectable<ImportTables['repo_import']>
export type NewImportRow = Insertable<ImportTables['repo_import']>
export type ImportChange = Updateable<ImportTables['repo_import']>
