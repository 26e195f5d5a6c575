import { Type } from 'typebox'
import { inRepo, notArchived, repoAdmin } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, ok } from '../../http/reply.ts'
import { presentBranchRule, presentBranchRules } from './branch-protection.present.ts'
import {
  BranchProtection,
  CreateBranchProtectionOption,
  EditBranchProtectionOption,
} from './branch-protection.schemas.ts'
import {
  changeBranchRule,
  createBranchRule,
  getBranchRule,
  listRules,
  removeBranchRule,
  type BranchRuleInput,
} from './branch-protection.service.ts'

const inputOf = (body: EditBranchProtectionOption): BranchRuleInput => ({
  ...body,
  push_deploy_keys: body.push_whitelist_deploy_keys,
  statusContexts: body.status_check_contexts,
  pushers: { users: body.push_whitelist_usernames, teams: body.push_whitelist_teams },
  mergers: { users: body.merge_whitelist_usernames, teams: body.merge_whitelist_teams },
  approvers: { users: body.approvals_whitelist_username, teams: body.approvals_whitelist_teams },
})

export const repoListBranchProtection = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/branch_protections',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin],
  reply: { 200: Type.Array(BranchProtection) },
  summary: 'List the branch protections',
  run: async ({ ctx }) => ok(await presentBranchRules(ctx, await listRules(ctx))),
})

export const repoCreateBranchProtection = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/branch_protections',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, validBody, notArchived],
  body: CreateBranchProtectionOption,
  reply: { 201: BranchProtection },
  summary: 'Create a branch protection',
  async run({ ctx, body }) {
    return created(
      await presentBranchRule(ctx, await createBranchRule(ctx, body.rule_name || body.branch_name, inputOf(body))),
    )
  },
})

export const repoGetBranchProtection = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/branch_protections/{name}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin],
  reply: { 200: BranchProtection },
  summary: 'Get a branch protection',
  run: async ({ ctx, params }) => ok(await presentBranchRule(ctx, await getBranchRule(ctx, params.name))),
})

export const repoEditBranchProtection = operation({
  method: 'PATCH',
  path: '/repos/{username}/{reponame}/branch_protections/{name}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, validBody, notArchived],
  body: EditBranchProtectionOption,
  reply: { 200: BranchProtection },
  summary: 'Edit a branch protection',
  async run({ ctx, params, body }) {
    const rule = await getBranchRule(ctx, params.name)
    return ok(await presentBranchRule(ctx, await changeBranchRule(ctx, rule, inputOf(body))))
  },
})

export const repoDeleteBranchProtection = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/branch_protections/{name}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin],
  reply: { 204: 'empty' },
  summary: 'Delete a branch protection',
  run: ({ ctx, params }) => removeBranchRule(ctx, params.name),
})
