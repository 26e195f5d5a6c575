import type { RepoId, UserId } from '../lib/ids.ts'

/** Where webhooks belong: to a repository, to an account or organization, or to the instance. */
export type HookPlace =
  | { readonly repo_id: RepoId; readonly owner_id: null }
  | { readonly repo_id: null; readonly owner_id: UserId }
  | { readonly repo_id: null; readonly owner_id: null }

export const hooksOfRepo = (id: RepoId): HookPlace => ({ repo_id: id, owner_id: null })
export const hooksOfAccount = (id: UserId): HookPlace => ({ repo_id: null, owner_id: id })
export const hooksOfInstance: HookPlace = { repo_id: null, owner_id: null }
