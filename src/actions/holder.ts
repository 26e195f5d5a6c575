import type { RepoId, UserId } from '../lib/ids.ts'

/** Whose secrets and variables: those of an account, or those of one repository. */
export type Holder =
  | { readonly owner_id: UserId; readonly repo_id: null }
  | { readonly owner_id: null; readonly repo_id: RepoId }

export const accountHolder = (id: UserId): Holder => ({ owner_id: id, repo_id: null })
export const repoHolder = (id: RepoId): Holder => ({ owner_id: null, repo_id: id })
