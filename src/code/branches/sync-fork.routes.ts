import { canRead, canWrite, inRepo, notArchived } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { SyncForkInfo } from './sync-fork.schemas.ts'
import { getForkState, syncFork, type ForkState } from './sync-fork.service.ts'

const present = (state: ForkState): SyncForkInfo => ({
  allowed: state.behind > 0,
  fork_commit: state.forkCommit,
  base_commit: state.baseCommit ?? '',
  commits_behind: state.behind,
})

export const repoSyncForkDefaultInfo = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/sync_fork',
  scope: 'repository',
  cost: 'expensive',
  requires: [inRepo, canRead('code')],
  reply: { 200: SyncForkInfo },
  summary: 'Check whether the default branch of a fork can be synchronized',
  run: async ({ ctx }) => ok(present(await getForkState(ctx, ctx.repo.default_branch))),
})

export const repoSyncForkDefault = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/sync_fork',
  scope: 'repository',
  // `signedIn` comes first: the contract answers 401 to guests where the reference answers 403 (git.md).
  cost: 'expensive',
  requires: [inRepo, signedIn, notArchived, canWrite('code')],
  reply: { 204: 'empty' },
  summary: 'Synchronize the default branch of a fork',
  run: ({ ctx }) => syncFork(ctx, ctx.repo.default_branch),
})

export const repoSyncForkBranchInfo = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/sync_fork/{branch}',
  scope: 'repository',
  cost: 'expensive',
  requires: [inRepo, canRead('code')],
  reply: { 200: SyncForkInfo },
  summary: 'Check whether a branch of a fork can be synchronized',
  run: async ({ ctx, params }) => ok(present(await getForkState(ctx, params.branch))),
})

export const repoSyncForkBranch = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/sync_fork/{branch}',
  scope: 'repository',
  cost: 'expensive',
  requires: [inRepo, signedIn, notArchived, canWrite('code')],
  reply: { 204: 'empty' },
  summary: 'Synchronize a branch of a fork',
  run: ({ ctx, params }) => syncFork(ctx, params.branch),
})
