import { inRepo, repoAdmin } from '../../access/repo.requirements.ts'
import { acceptTransfer, cancelTransfer, rejectTransfer } from '../../repos/lifecycle/transfer.service.ts'
import { transferTexts as texts } from '../languages/texts.ts'
import { act } from '../shell/page.tsx'
import { pathOf } from '../ui/paths.ts'

/** Accepts the repository for the viewer, or for an organization of the viewer. */
export const acceptTransferSubmit = act({
  path: '/{username}/{reponame}/action/accept_transfer',
  twin: 'acceptRepoTransfer',
  cost: 'usual',
  requires: [inRepo],
  async run({ ctx }) {
    const { repo, owner } = await acceptTransfer(ctx)
    return { to: pathOf(owner.name, repo.name), notice: texts.accepted(owner.name) }
  },
})

/** Rejects the repository. */
export const rejectTransferSubmit = act({
  path: '/{username}/{reponame}/action/reject_transfer',
  twin: 'rejectRepoTransfer',
  cost: 'usual',
  requires: [inRepo],
  async run({ ctx }) {
    const { repo, owner } = ctx
    await rejectTransfer(ctx)
    // The offer alone may have shown a private repository.
    return { to: repo.is_private ? '/' : pathOf(owner.name, repo.name), notice: texts.rejected }
  },
})

/** Takes the offer of the repository back. */
export const cancelTransferSubmit = act({
  path: '/{username}/{reponame}/settings/transfer/cancel',
  twin: null,
  cost: 'usual',
  requires: [inRepo, repoAdmin],
  async run({ ctx }) {
    await cancelTransfer(ctx)
    return { to: pathOf(ctx.owner.name, ctx.repo.name), notice: texts.cancelled }
  },
})
