import { inRepo, notArchived, repoAdmin } from '../../../access/repo.requirements.ts'
import { pathNumber } from '../../../http/schema.ts'
import { presentTagRule, presentTagRules } from '../../../refs/protection/tag-protection.present.ts'
import {
  changeTagRule,
  createTagRule,
  getTagRule,
  listRules,
  removeTagRule,
} from '../../../refs/protection/tag-protection.service.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { metaOf, repositoryOf, settingsPath } from './frame.tsx'
import { tagRuleForm, TagRuleView, TagsView } from './tags.view.tsx'
import { repositorySettingsTexts as texts } from '../../languages/texts.ts'

export const tagRulesPage = page({
  path: '/{username}/{reponame}/settings/tags',
  twin: 'repoListTagProtection',
  cost: 'usual',
  requires: [inSession, inRepo, repoAdmin],
  frame: inRepositoryFrame('settings'),
  load: async ({ ctx }) => ({ repository: repositoryOf(ctx), rules: await presentTagRules(ctx, await listRules(ctx)) }),
  meta: ({ repository }) => metaOf('tags', repository),
  view: TagsView,
})

export const addTagRuleSubmit = act({
  path: '/{username}/{reponame}/settings/tags',
  twin: 'repoCreateTagProtection',
  cost: 'usual',
  requires: [inRepo, repoAdmin, notArchived],
  ...tagRuleForm.act,
  again: tagRulesPage,
  async run({ ctx, body }) {
    await createTagRule(ctx, tagRuleForm.read(body))
    return { to: settingsPath(ctx, 'tags'), notice: texts.saved }
  },
})

export const tagRulePage = page({
  path: '/{username}/{reponame}/settings/tags/{id}',
  twin: 'repoGetTagProtection',
  cost: 'usual',
  params: { id: pathNumber },
  requires: [inSession, inRepo, repoAdmin],
  frame: inRepositoryFrame('settings'),
  load: async ({ ctx, params }) => ({
    repository: repositoryOf(ctx),
    rule: await presentTagRule(ctx, await getTagRule(ctx, params.id)),
  }),
  meta: ({ repository }) => metaOf('tags', repository),
  view: TagRuleView,
})

export const editTagRuleSubmit = act({
  path: '/{username}/{reponame}/settings/tags/{id}',
  edits: true,
  twin: 'repoEditTagProtection',
  cost: 'usual',
  params: { id: pathNumber },
  requires: [inRepo, repoAdmin, notArchived],
  ...tagRuleForm.act,
  again: tagRulePage,
  async run({ ctx, params, body }) {
    await changeTagRule(ctx, await getTagRule(ctx, params.id), tagRuleForm.read(body))
    return { to: settingsPath(ctx, 'tags'), notice: texts.saved }
  },
})

export const deleteTagRuleSubmit = act({
  path: '/{username}/{reponame}/settings/tags/{id}/delete',
  twin: 'repoDeleteTagProtection',
  cost: 'usual',
  params: { id: pathNumber },
  requires: [inRepo, repoAdmin],
  async run({ ctx, params }) {
    await removeTagRule(ctx, params.id)
    return { to: settingsPath(ctx, 'tags'), notice: texts.branches.deleted }
  },
})
