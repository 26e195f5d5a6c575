import type { RepoId, UserId } from '../lib/ids.ts'

/** What webhooks belong to: a repository, an account or organization, or the instance (both ids null). */
export type HookOwner =
  | { readonly repo_id: RepoId; readonly owner_id: null }
  | { readonly repo_id: null; readonly owner_id: UserId }
  | { readonly repo_id: null; readonly owner_id: null }

export const hooksOfRepo = (id: RepoId): HookOwner => ({ repo_id: id, owner_id: null })
export const hooksOfAccount = (id: UserId): HookOwner => ({ repo_id: null, owner_id: id })
export const hooksOfInstance: HookOwner = { repo_id: null, owner_id: null }
