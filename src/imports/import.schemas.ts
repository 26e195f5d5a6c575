import { Type, type Static } from 'typebox'
import { importStates } from '../db/tables/imports.ts'
import { dateTime, enumeration, object } from '../http/schema.ts'

export const RepositoryImport = object('RepositoryImport', {
  id: Type.Integer(),
  url: Type.String(),
  state: enumeration(...importStates),
  /** Somebody asked for it to end. */
  cancelled: Type.Boolean(),
  /** Where it is imported from, without credentials. */
  clone_addr: Type.String(),
  service: Type.String(),
  repo_owner: Type.String(),
  repo_name: Type.String(),
  /** What is being done, and how much of it is; empty before it has begun. */
  step: Type.String(),
  done: Type.Integer(),
  /** What has been imported, by kind. */
  counts: Type.Record(Type.String(), Type.Integer()),
  /** What was left out or changed on the way. */
  notes: Type.Array(Type.String()),
  /** Why it failed. */
  problem: Type.String(),
  created_at: dateTime(),
  updated_at: dateTime(),
})
export type RepositoryImport = Static<typeof RepositoryImport>
