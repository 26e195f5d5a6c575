import { inRepo } from '../../../access/repo.requirements.ts'
import { siteAdmin } from '../../../access/requirements.ts'
import { Invalid } from '../../../lib/errors.ts'
import { flagsOn } from '../../../repos/social/flag.requirements.ts'
import { addFlag, flagsOf, removeFlag } from '../../../repos/social/flag.service.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, nothingTyped, page } from '../../shell/page.tsx'
import { pathOf } from '../../ui/paths.ts'
import { FlagsView } from './flags.view.tsx'
import { administrationTexts as texts } from '../../languages/texts.ts'
import { textUpTo } from '../../ui/fields.ts'

const fields = { flag: textUpTo(255) }

/** Shows the flags of a repository, which administrators set for programs that look at them. */
export const repositoryFlagsPage = page({
  path: '/{username}/{reponame}/flags',
  twin: 'repoListFlags',
  cost: 'usual',
  requires: [flagsOn, inRepo, inSession, siteAdmin],
  frame: inRepositoryFrame(undefined),
  load: async ({ ctx }) => ({ path: pathOf(ctx.owner.name, ctx.repo.name, 'flags'), flags: await flagsOf(ctx) }),
  meta: (_, { ctx }) => ({ title: texts.flags.titleOf(`${ctx.owner.name}/${ctx.repo.name}`), isUnlisted: true }),
  view: FlagsView,
})

export const addRepositoryFlag = act({
  path: '/{username}/{reponame}/flags',
  twin: 'repoAddFlag',
  cost: 'usual',
  requires: [flagsOn, inRepo, siteAdmin],
  fields,
  again: repositoryFlagsPage,
  async run({ ctx, body }) {
    const flag = (body.flag ?? '').trim()
    if (flag === '') throw new Invalid(texts.flags.noName, 'flag_missing', { field: 'flag' })
    await addFlag(ctx, flag)
    return { to: pathOf(ctx.owner.name, ctx.repo.name, 'flags'), notice: texts.flags.added(flag) }
  },
})

export const removeRepositoryFlag = act({
  path: '/{username}/{reponame}/flags/delete',
  twin: 'repoDeleteFlag',
  cost: 'usual',
  requires: [flagsOn, inRepo, siteAdmin],
  fields,
  again: nothingTyped,
  async run({ ctx, body }) {
    await removeFlag(ctx, body.flag ?? '')
    return { to: pathOf(ctx.owner.name, ctx.repo.name, 'flags'), notice: texts.flags.removed(body.flag ?? '') }
  },
})
