import type { Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { ImportId, RepoId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

export const importStates = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const
export type ImportState = (typeof importStates)[number]

/** Repositories that are, or were, brought here from other servers with what belongs to them. */
export interface RepoImportTable {
  id: Generated<ImportId>
  /** Who asked for it. */
  doer_id: UserId
  /** Whose the repository becomes. */
  owner_id: UserId
  /** Its name in lower case, which no other import of the owner has meanwhile. */
  lower_name: string
  /** JSON: what is imported, from where, and what becomes of it (`WantedImport`). */
  wanted: string
  /** JSON of what opens the other server, sealed for the purpose `import-credentials`; empty: nothing does, or it is over. */
  sealed_credentials: string
  state: ImportState
  /** Somebody wants it to end. */
  is_cancelled: Generated<boolean>
  /** What is being done, '' before the first. */
  step: Generated<string>
  /** Where in the step it goes on: text of the step's own, '' for its beginning. */
  place: Generated<string>
  /** Things done in the step so far. */
  done_count: Generated<number>
  /** JSON: how many of each kind were imported. */
  counts: Generated<string>
  /** JSON list: what was left out or changed on the way. */
  notes: Generated<string>
  /** Why it failed; empty when it did not. */
  problem: Generated<string>
  /** The repository: hidden until the import is done. */
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
