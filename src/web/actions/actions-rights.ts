import type { RepoCtx } from '../../access/context.ts'

/** Returns what the viewer may do with workflows and runs. */
export const mayOf = ({ rights, repo, viewer }: RepoCtx) => ({
  run: viewer !== undefined && rights.canWrite('actions') && !repo.is_archived,
  configure: viewer !== undefined && rights.isAdmin && !repo.is_archived,
  /** Register runners for the repository. */
  addRunners: viewer !== undefined && rights.isOwner && !repo.is_archived,
  write: viewer !== undefined && rights.canWrite('code') && !repo.is_archived,
})
