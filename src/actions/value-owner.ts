import type { RepoId, UserId } from '../lib/ids.ts'

/** Whose secrets and variables: those of an account, or those of one repository. */
export type ValueOwner =
  | { readonly owner_id: UserId; readonly repo_id: null }
  | { readonly owner_id: null; readonly repo_id: RepoId }

export const valuesOfAccount = (id: UserId): ValueOwner => ({ owner_id: id, repo_id: null })
export const valuesOfRepo = (id: RepoId): ValueOwner => ({ owner_id: null, repo_id: id })
