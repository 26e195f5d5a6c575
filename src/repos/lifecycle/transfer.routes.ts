import { inRepo, repoOwner } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { accepted, created, ok } from '../../http/reply.ts'
import { Invalid } from '../../lib/errors.ts'
import type { TeamId } from '../../lib/ids.ts'
import { presentRepo } from '../repo.present.ts'
import { Repository } from '../repo.schemas.ts'
import { TransferRepoOption } from './transfer.schemas.ts'
import { acceptTransfer, rejectTransfer, transferRepo } from './transfer.service.ts'

export const repoTransfer = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/transfer',
  cost: 'usual',
  scope: 'repository',
  outlivesCredential: 'account',
  refuses: [409],
  requires: [inRepo, signedIn, repoOwner, validBody],
  body: TransferRepoOption,
  reply: { 201: Repository, 202: Repository },
  summary: 'Transfer a repository',
  async run({ ctx, body }) {
    const { new_owner: newOwner = '' } = body
    if (newOwner === '') throw new Invalid('[new_owner]: is required', 'invalid', { field: 'new_owner' })
    const outcome = await transferRepo(ctx, {
      newOwner,
      teamIds: (body.team_ids ?? []) as TeamId[],
    })
    const view = { ...ctx, repo: outcome.repo }
    if (outcome.kind === 'pending') return created(await presentRepo(ctx, view))
    return accepted(await presentRepo(ctx, { ...view, owner: outcome.owner }))
  },
})

// The replies show the rights before the transfer (observed).
export const acceptRepoTransfer = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/transfer/accept',
  cost: 'usual',
  scope: 'repository',
  outlivesCredential: 'account',
  refuses: [413],
  requires: [inRepo, signedIn],
  reply: { 202: Repository },
  summary: 'Accept the transfer of a repository',
  async run({ ctx }) {
    const { repo, owner } = await acceptTransfer(ctx)
    return accepted(await presentRepo(ctx, { ...ctx, repo, owner }))
  },
})

export const rejectRepoTransfer = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/transfer/reject',
  cost: 'usual',
  scope: 'repository',
  outlivesCredential: 'account',
  requires: [inRepo, signedIn],
  reply: { 200: Repository },
  summary: 'Reject the transfer of a repository',
  async run({ ctx }) {
    const repo = await rejectTransfer(ctx)
    return ok(await presentRepo(ctx, { ...ctx, repo }))
  },
})
