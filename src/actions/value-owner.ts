import type { RepoId, UserId } from '../lib/ids.ts'

/** The owner of secrets and variables: an account or a repository. */
export type ValueOwner =
  | { readonly owner_id: UserId; readonly repo_id: null }
  | { readonly owner_id: null; readonly repo_id: RepoId }

export const valuesOfAccount = (id: UserId): ValueOwner => ({ owner_id: id, repo_id: null })
export const valuesOfRepo = (id: RepoId): ValueOwner => ({ owner_id: null, repo_id: id })
