import { Type, type Static } from 'typebox'
import { importStates } from '../db/tables/imports.ts'
import { dateTime, enumeration, object } from '../http/schema.ts'

export const RepositoryImport = object('RepositoryImport', {
  id: Type.Integer(),
  url: Type.String(),
  state: enumeration(...importStates),
  /** Whether its end was requested. */
  cancelled: Type.Boolean(),
  /** Address of the source, without credentials. */
  clone_addr: Type.String(),
  service: Type.String(),
  repo_owner: Type.String(),
  repo_name: Type.String(),
  /** The current step; empty before the first one. `done` counts its objects. */
  step: Type.String(),
  done: Type.Integer(),
  /** Number of imported objects by kind. */
  counts: Type.Record(Type.String(), Type.Integer()),
  /** Messages about skipped or changed objects. */
  notes: Type.Array(Type.String()),
  /** Reason of the failure. */
  problem: Type.String(),
  created_at: dateTime(),
  updated_at: dateTime(),
})
export type RepositoryImport = Static<typeof RepositoryImport>
