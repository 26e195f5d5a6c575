import { inRepo } from '../../access/repo.requirements.ts'
import { enumeration } from '../../http/schema.ts'
import { starsOn } from '../../repos/social/star.requirements.ts'
import { star, unstar } from '../../repos/social/star.service.ts'
import { unwatch, watch } from '../../repos/social/watch.service.ts'
import { act } from '../shell/page.tsx'
import { pathOf } from '../ui/paths.ts'

/** Stars a repository, or ends it. */
export const starRepository = act({
  path: '/{username}/{reponame}/stars/{change}',
  twin: 'userCurrentPutStar',
  cost: 'usual',
  requires: [starsOn, inRepo],
  params: { change: enumeration('add', 'remove') },
  async run({ ctx, params }) {
    await (params.change === 'add' ? star(ctx) : unstar(ctx))
    return { to: pathOf(ctx.owner.name, ctx.repo.name) }
  },
})

/** Watches a repository, or ends it. */
export const watchRepository = act({
  path: '/{username}/{reponame}/watchers/{change}',
  twin: 'userCurrentPutSubscription',
  cost: 'usual',
  requires: [inRepo],
  params: { change: enumeration('add', 'remove') },
  async run({ ctx, params }) {
    await (params.change === 'add' ? watch(ctx) : unwatch(ctx))
    return { to: pathOf(ctx.owner.name, ctx.repo.name) }
  },
})
