import { gitRepo, inRepo, repoAdmin } from '../../../access/repo.requirements.ts'
import { repoRef } from '../../../code/git-access.requirements.ts'
import { pathNumber } from '../../../http/schema.ts'
import { sendTestPush } from '../../../webhooks/deliveries/test-push.ts'
import { hooksOfRepo } from '../../../webhooks/hook-owner.ts'
import { webhooksOn } from '../../../webhooks/hook.requirements.ts'
import { getHook } from '../../../webhooks/hook.service.ts'
import { hookPages } from '../../shared/hooks/hook-pages.ts'
import { hookTexts as texts } from '../../languages/texts.ts'
import { act } from '../../shell/page.tsx'
import { inSettings, metaOf, repositoryOf, settingsPath } from './frame.tsx'

/** The webhooks of a repository. */
export const {
  listPage: repositoryHooksPage,
  newPage: newRepositoryHookPage,
  create: createRepositoryHookSubmit,
  hookPage: repositoryHookPage,
  edit: editRepositoryHookSubmit,
  remove: deleteRepositoryHookSubmit,
  deliveryPage: repositoryHookDeliveryPage,
  replayOne: replayRepositoryHookSubmit,
  replayFailed: replayFailedRepositoryHookSubmit,
} = hookPages({
  twins: 'repo',
  path: '/{username}/{reponame}/settings/hooks',
  requires: [inRepo, repoAdmin],
  ownerOf: ({ repo }) => hooksOfRepo(repo.id),
  pathOf: (ctx) => settingsPath(ctx, 'hooks'),
  frame: inSettings('hooks'),
  meta: (ctx) => metaOf('hooks', repositoryOf(ctx)),
  offersTest: ({ repo }) => !repo.is_empty,
})

/** Delivers the newest commit of the default branch as a push. */
export const testRepositoryHookSubmit = act({
  path: '/{username}/{reponame}/settings/hooks/{id}/test',
  twin: 'repoTestHook',
  cost: 'usual',
  params: { id: pathNumber },
  requires: [inRepo, repoAdmin, webhooksOn, gitRepo, repoRef],
  async run({ ctx, params }) {
    const hook = await getHook(ctx, hooksOfRepo(ctx.repo.id), params.id)
    const isSent = await sendTestPush(ctx, hook, ctx.revision.commit, undefined)
    return { to: `${settingsPath(ctx, 'hooks')}/${params.id}`, notice: isSent ? texts.tested : texts.notTested }
  },
})
