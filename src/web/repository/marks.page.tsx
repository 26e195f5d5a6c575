import { inRepo } from '../../access/repo.requirements.ts'
import { enumeration } from '../../http/schema.ts'
import { Invalid } from '../../lib/errors.ts'
import { starsOn } from '../../repos/social/star.requirements.ts'
import { star, unstar } from '../../repos/social/star.service.ts'
import { watchLevels } from '../../repos/watch-level.ts'
import { setWatchLevel, unwatch, watch } from '../../repos/social/watch.service.ts'
import { act, nothingTyped } from '../shell/page.tsx'
import { text, tick } from '../ui/fields.ts'
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

/** Chooses what the person hears of a repository. */
export const chooseWatchLevel = act({
  path: '/{username}/{reponame}/subscription',
  twin: 'userCurrentSetWatchLevel',
  cost: 'usual',
  requires: [inRepo],
  fields: { level: text, is_listed: tick },
  again: nothingTyped,
  async run({ ctx, body }) {
    const level = watchLevels.find((each) => each === body.level)
    if (level === undefined) throw new Invalid('level: must be a level of watching', 'watch_level_invalid')
    await setWatchLevel(ctx, level)
    return { to: body.is_listed ? '/notifications/watching' : pathOf(ctx.owner.name, ctx.repo.name) }
  },
})
