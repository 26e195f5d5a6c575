import type { RepoId, UserId } from '../lib/ids.ts'

/** The jobs that a runner takes: those of one repository, of all repositories of an account, or of the instance. */
export interface QueueScope {
  readonly ownerId: UserId | null
  readonly repoId: RepoId | null
}

export const instanceScope: QueueScope = { ownerId: null, repoId: null }
export const scopeOfAccount = (ownerId: UserId): QueueScope => ({ ownerId, repoId: null })
export const scopeOfRepo = (repoId: RepoId): QueueScope => ({ ownerId: null, repoId })

/** The channel that announces a new version of a queue; the payload is the text of its scope. */
export const queueChannel = 'action_queue'

/** Returns a scope as the text that identifies it in rows. */
export function scopeText({ ownerId, repoId }: QueueScope): string {
  if (repoId !== null) return `repo ${repoId}`
  return ownerId === null ? 'instance' : `owner ${ownerId}`
}

/** Returns the scopes whose runners take the jobs of a repository. */
export const scopesTaking = (repo: { readonly id: RepoId; readonly owner_id: UserId }): readonly string[] =>
  [instanceScope, scopeOfAccount(repo.owner_id), scopeOfRepo(repo.id)].map(scopeText)
