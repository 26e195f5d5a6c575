import { inRepo, notArchived, repoAdmin } from '../../../access/repo.requirements.ts'
import { presentBranchRule } from '../../../refs/protection/branch-protection.present.ts'
import {
  changeBranchRule,
  createBranchRule,
  getBranchRule,
  listRules,
  removeBranchRule,
  type BranchRuleInput,
} from '../../../refs/protection/branch-protection.service.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { BranchesView, branchRuleForm, BranchRuleView } from './branches.view.tsx'
import { metaOf, repositoryOf, settingsPath } from './frame.tsx'
import { repositorySettingsTexts as texts } from '../../languages/texts.ts'
import { text } from '../../ui/fields.ts'

/** Returns the whole rule of a form: a box that is not ticked is off. */
function inputOf(body: Parameters<typeof branchRuleForm.read>[0]): BranchRuleInput {
  const { push_users, push_teams, merge_users, merge_teams, approval_users, approval_teams, ...rule } =
    branchRuleForm.read(body)
  return {
    ...rule,
    pushers: { users: push_users, teams: push_teams },
    mergers: { users: merge_users, teams: merge_teams },
    approvers: { users: approval_users, teams: approval_teams },
  }
}

const path = '/{username}/{reponame}/settings/branches'

export const branchRulesPage = page({
  path,
  twin: 'repoListBranchProtection',
  cost: 'usual',
  requires: [inSession, inRepo, repoAdmin],
  frame: inRepositoryFrame('settings'),
  load: async ({ ctx }) => ({ repository: repositoryOf(ctx), rules: await listRules(ctx) }),
  meta: ({ repository }) => metaOf('branches', repository),
  view: BranchesView,
})

export const newBranchRulePage = page({
  path: '/{username}/{reponame}/settings/branches/new',
  twin: 'repoCreateBranchProtection',
  cost: 'usual',
  requires: [inSession, inRepo, repoAdmin, notArchived],
  query: { rule_name: text },
  frame: inRepositoryFrame('settings'),
  load: async ({ ctx, query }) => ({ repository: repositoryOf(ctx), rule: undefined, name: query.rule_name }),
  meta: ({ repository }) => metaOf('branches', repository),
  view: BranchRuleView,
})

export const newBranchRuleAct = act({
  path: '/{username}/{reponame}/settings/branches/new',
  twin: 'repoCreateBranchProtection',
  cost: 'usual',
  requires: [inRepo, repoAdmin, notArchived],
  fields: { rule_name: text, ...branchRuleForm.act.fields },
  again: newBranchRulePage,
  problemFields: { rule_name: 'rule_name', branch_rule_exists: 'rule_name', rule_exists: 'rule_name' },
  async run({ ctx, body }) {
    await createBranchRule(ctx, body.rule_name, inputOf(body))
    return { to: settingsPath(ctx, 'branches'), notice: texts.saved }
  },
})

export const branchRulePage = page({
  path: '/{username}/{reponame}/settings/branches/edit/{name+}',
  twin: 'repoGetBranchProtection',
  cost: 'usual',
  requires: [inSession, inRepo, repoAdmin],
  frame: inRepositoryFrame('settings'),
  load: async ({ ctx, params }) => ({
    repository: repositoryOf(ctx),
    rule: await presentBranchRule(ctx, await getBranchRule(ctx, params.name)),
    name: params.name,
  }),
  meta: ({ repository }) => metaOf('branches', repository),
  view: BranchRuleView,
})

export const editBranchRuleAct = act({
  path: '/{username}/{reponame}/settings/branches/edit/{name+}',
  edits: true,
  twin: 'repoEditBranchProtection',
  cost: 'usual',
  requires: [inRepo, repoAdmin, notArchived],
  ...branchRuleForm.act,
  again: branchRulePage,
  async run({ ctx, params, body }) {
    await changeBranchRule(ctx, await getBranchRule(ctx, params.name), inputOf(body))
    return { to: settingsPath(ctx, 'branches'), notice: texts.saved }
  },
})

export const deleteBranchRuleAct = act({
  path: '/{username}/{reponame}/settings/branches/delete/{name+}',
  twin: 'repoDeleteBranchProtection',
  cost: 'usual',
  requires: [inRepo, repoAdmin],
  async run({ ctx, params }) {
    await removeBranchRule(ctx, params.name)
    return { to: settingsPath(ctx, 'branches'), notice: texts.branches.deleted }
  },
})
