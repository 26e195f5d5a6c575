import type { Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { ImportId, RepoId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

export const importStates = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const
export type ImportState = (typeof importStates)[number]

/** Repository imports from other servers, running and finished. */
export interface RepoImportTable {
  id: Generated<ImportId>
  /** The account that started the import. */
  doer_id: UserId
  /** The owner of the new repository. */
  owner_id: UserId
  /** The repository name in lower case. It is unique among the open imports of the owner. */
  lower_name: string
  /** JSON: what is imported, the source, and the settings of the repository (`WantedImport`). */
  wanted: string
  /**
   * JSON of the credentials for the source, sealed for the purpose `import-credentials`; empty without credentials and
   * after the import.
   */
  sealed_credentials: string
  state: ImportState
  /** Whether somebody cancelled the import. */
  is_cancelled: Generated<boolean>
  /** The current step; '' before the first step. */
  step: Generated<string>
  /** Where the step resumes, in a form private to the step; '' for its beginning. */
  place: Generated<string>
  /** Items completed in the current step. */
  done_count: Generated<number>
  /** JSON: the number of imported items per kind. */
  counts: Generated<string>
  /** JSON list: items that were skipped or changed. */
  notes: Generated<string>
  /** Why the import failed; empty otherwise. */
  problem: Generated<string>
  /** The repository; hidden until the import ends. */
  repo_id: RepoId | null
  created_unix: Unix
  updated_unix: Unix
}

export interface ImportTables {
  repo_import: RepoImportTable
}

export type ImportRow = Selectable<RepoImportTable>
export type NewImportRow = Insertable<RepoImportTable>
export type ImportChange = Updateable<RepoImportTable>
