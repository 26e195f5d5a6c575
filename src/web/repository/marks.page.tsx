import type { RepoCtx, SignedInCtx } from '../../access/context.ts'
import { inRepo } from '../../access/repo.requirements.ts'
import { enumeration } from '../../http/schema.ts'
import { star, unstar } from '../../repos/social/star.service.ts'
import { unwatch, watch } from '../../repos/social/watch.service.ts'
import { act } from '../shell/page.tsx'
import { pathOf } from '../ui/paths.ts'

const marks: Readonly<Record<string, (ctx: RepoCtx & SignedInCtx) => Promise<unknown>>> = {
  star,
  unstar,
  watch,
  unwatch,
}

/** Stars or watches a repository, or ends it. */
export const markRepository = act({
  path: '/{username}/{reponame}/action/{mark}',
  requires: [inRepo],
  params: { mark: enumeration('star', 'unstar', 'watch', 'unwatch') },
  async run({ ctx, params }) {
    await marks[params.mark]?.(ctx)
    return { to: pathOf(ctx.owner.name, ctx.repo.name) }
  },
})
