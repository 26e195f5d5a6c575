import { inRepo, repoAdmin } from '../../../access/repo.requirements.ts'
import { pathNumber } from '../../../http/schema.ts'
import { pageOf } from '../../../lib/paging.ts'
import {
  addDeployKey,
  getDeployKey,
  pageOfDeployKeys,
  removeDeployKey,
} from '../../../repos/people/deploy-key.service.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { metaOf, repositoryOf, settingsPath } from './frame.tsx'
import { KeysView } from './keys.view.tsx'
import { repositorySettingsTexts as texts } from '../../languages/texts.ts'
import { integer, text, tick } from '../../ui/fields.ts'

export const deployKeysPage = page({
  path: '/{username}/{reponame}/settings/keys',
  twin: 'repoListKeys',
  cost: 'usual',
  requires: [inSession, inRepo, repoAdmin],
  query: { page: integer },
  frame: inRepositoryFrame('settings'),
  async load({ ctx, query }) {
    const wanted = pageOf({ page: query.page }, ctx.config.api)
    return { repository: repositoryOf(ctx), ...(await pageOfDeployKeys(ctx, {}, wanted)), page: wanted }
  },
  meta: ({ repository }) => metaOf('keys', repository),
  view: KeysView,
})

export const addDeployKeyAct = act({
  path: '/{username}/{reponame}/settings/keys',
  twin: 'repoCreateKey',
  cost: 'usual',
  recentSignIn: true,
  requires: [inRepo, repoAdmin],
  fields: { title: text, content: text, may_write: tick },
  again: deployKeysPage,
  problemFields: { ssh_key_title: 'title', deploy_key_title: 'title', ssh_key: 'content' },
  async run({ ctx, body }) {
    await addDeployKey(ctx, {
      title: body.title ?? '',
      key: body.content ?? '',
      isReadOnly: !(body.may_write ?? false),
    })
    return { to: settingsPath(ctx, 'keys'), notice: texts.keys.added }
  },
})

export const deleteDeployKeyAct = act({
  path: '/{username}/{reponame}/settings/keys/{id}/delete',
  twin: 'repoDeleteKey',
  cost: 'usual',
  params: { id: pathNumber },
  requires: [inRepo, repoAdmin],
  async run({ ctx, params }) {
    const { id } = await getDeployKey(ctx, params.id)
    await removeDeployKey(ctx, id)
    return { to: settingsPath(ctx, 'keys'), notice: texts.keys.deleted }
  },
})
