import { Type } from 'typebox'
import { inRepo, notArchived, repoAdmin } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, ok } from '../../http/reply.ts'
import { pathNumber } from '../../http/schema.ts'
import { presentTagRule, presentTagRules } from './tag-protection.present.ts'
import { CreateTagProtectionOption, EditTagProtectionOption, TagProtection } from './tag-protection.schemas.ts'
import {
  changeTagRule,
  createTagRule,
  getTagRule,
  listRules,
  removeTagRule,
  type TagRuleInput,
} from './tag-protection.service.ts'

const inputOf = (body: EditTagProtectionOption): TagRuleInput => ({
  pattern: body.name_pattern,
  users: body.whitelist_usernames,
  teams: body.whitelist_teams,
})

export const repoListTagProtection = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/tag_protections',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin],
  reply: { 200: Type.Array(TagProtection) },
  summary: 'List the tag protections',
  run: async ({ ctx }) => ok(await presentTagRules(ctx, await listRules(ctx))),
})

export const repoCreateTagProtection = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/tag_protections',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, validBody, notArchived],
  body: CreateTagProtectionOption,
  reply: { 201: TagProtection },
  summary: 'Create a tag protection',
  run: async ({ ctx, body }) => created(await presentTagRule(ctx, await createTagRule(ctx, inputOf(body)))),
})

export const repoGetTagProtection = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/tag_protections/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin],
  reply: { 200: TagProtection },
  summary: 'Get a tag protection',
  run: async ({ ctx, params }) => ok(await presentTagRule(ctx, await getTagRule(ctx, params.id))),
})

export const repoEditTagProtection = operation({
  method: 'PATCH',
  path: '/repos/{username}/{reponame}/tag_protections/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, validBody, notArchived],
  body: EditTagProtectionOption,
  reply: { 200: TagProtection },
  summary: 'Edit a tag protection',
  async run({ ctx, params, body }) {
    const rule = await getTagRule(ctx, params.id)
    return ok(await presentTagRule(ctx, await changeTagRule(ctx, rule, inputOf(body))))
  },
})

export const repoDeleteTagProtection = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/tag_protections/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin],
  reply: { 204: 'empty' },
  summary: 'Delete a tag protection',
  run: ({ ctx, params }) => removeTagRule(ctx, params.id),
})
