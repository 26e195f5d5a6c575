import type { Generated, Selectable } from 'kysely'
import type { RepoId, SecretId, UserId, VariableId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Secrets of workflows, of an account or of a repository: exactly one of the two ids is set. */
export interface ActionSecretTable {
  id: Generated<SecretId>
  owner_id: UserId | null
  repo_id: RepoId | null
  /** In upper case. */
  name: string
  /** Sealed with the instance key for the purpose `action-secret`. */
  sealed: string
  created_unix: Unix
  updated_unix: Unix
}

/** Variables of workflows, which may be read: of an account or of a repository. */
export interface ActionVariableTable {
  id: Generated<VariableId>
  owner_id: UserId | null
  repo_id: RepoId | null
  /** In upper case. */
  name: string
  data: string
  created_unix: Unix
  updated_unix: Unix
}

export interface ActionTables {
  action_secret: ActionSecretTable
  action_variable: ActionVariableTable
}

export type ActionSecretRow = Selectable<ActionSecretTable>
export type ActionVariableRow = Selectable<ActionVariableTable>
