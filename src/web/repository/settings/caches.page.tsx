import { canRead, canWrite, gitRepo, inRepo, repoAdmin } from '../../../access/repo.requirements.ts'
import { pageOfRepoCaches, removeCache } from '../../../actions/caches/cache.service.ts'
import { pageQuery } from '../../../http/schema.ts'
import { pageOf } from '../../../lib/paging.ts'
import { editRepo } from '../../../repos/repo-edit.service.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { ActionsView } from './caches.view.tsx'
import { metaOf, repositoryOf, settingsPath } from './frame.tsx'
import { repositorySettingsTexts as texts } from '../../languages/texts.ts'
import { integer, textUpTo, tick } from '../../ui/fields.ts'

/** Shows whether workflows run, and the caches of their jobs. */
export const actionsSettingsPage = page({
  path: '/{username}/{reponame}/settings/actions/general',
  twin: 'repoEdit',
  cost: 'usual',
  requires: [inSession, inRepo, repoAdmin, gitRepo],
  query: { ...pageQuery, key: textUpTo(512) },
  frame: inRepositoryFrame('settings'),
  async load({ ctx, query }) {
    const wanted = pageOf(query, ctx.config.api)
    const { rows, total } = await pageOfRepoCaches(ctx, query.key, wanted)
    const isOn = ctx.units.some(({ unit }) => unit === 'actions')
    return { repository: repositoryOf(ctx), caches: rows, total, page: wanted, key: query.key, isOn }
  },
  meta: ({ repository }) => metaOf('actions', repository),
  view: ActionsView,
})

export const switchActionsSubmit = act({
  path: '/{username}/{reponame}/settings/actions/general',
  twin: 'repoEdit',
  cost: 'usual',
  requires: [inRepo, repoAdmin],
  fields: { has_actions: tick },
  again: actionsSettingsPage,
  async run({ ctx, body }) {
    const isOn = body.has_actions ?? false
    await editRepo(ctx, { units: { has_actions: isOn, pulls: {} } })
    return { to: settingsPath(ctx, 'actions', 'general'), notice: isOn ? texts.actions.isOn : texts.actions.isOff }
  },
})

export const deleteCacheSubmit = act({
  path: '/{username}/{reponame}/settings/actions/caches/delete',
  twin: 'deleteRepoCache',
  cost: 'usual',
  requires: [inRepo, canRead('actions'), gitRepo, canWrite('actions')],
  fields: { id: integer },
  async run({ ctx, body }) {
    await removeCache(ctx, body.id ?? 0)
    return { to: settingsPath(ctx, 'actions', 'general'), notice: texts.actions.cacheDeleted }
  },
})
