import { Type } from 'typebox'
import { anyone, siteAdmin, signedIn } from '../access/requirements.ts'
import { operation, validBody } from '../http/operation.ts'
import { created, ok } from '../http/reply.ts'
import { targetUser } from '../users/subject.requirements.ts'
import { presentUser } from '../users/user.present.ts'
import { User } from '../users/user.schemas.ts'
import {
  addRuleToGroup,
  addUserToGroup,
  allGroups,
  createGroup,
  getGroupWithRules,
  removeGroup,
  removeRuleFromGroup,
  removeUserFromGroup,
  setGroupsOfUser,
  usersOfGroup,
} from './group.service.ts'
import { presentGroup, presentQuota } from './quota.present.ts'
import { namedGroup, namedRule, quotaOn } from './quota.requirements.ts'
import { CreateQuotaGroupOptions, QuotaGroup, QuotaInfo, SetUserQuotaGroupsOptions } from './quota.schemas.ts'
import { subjectsFrom } from './subject.rules.ts'
import { viewQuota } from './view.service.ts'

export const adminListQuotaGroups = operation({
  method: 'GET',
  path: '/admin/quota/groups',
  cost: 'usual',
  scope: 'admin',
  requires: [anyone, quotaOn, signedIn, siteAdmin],
  reply: { 200: Type.Array(QuotaGroup) },
  summary: 'List the quota groups',
  async run({ ctx }) {
    return ok((await allGroups(ctx)).map((group) => presentGroup(group)))
  },
})

export const adminCreateQuotaGroup = operation({
  method: 'POST',
  path: '/admin/quota/groups',
  cost: 'usual',
  scope: 'admin',
  refuses: [409],
  requires: [anyone, quotaOn, signedIn, siteAdmin, validBody],
  body: CreateQuotaGroupOptions,
  reply: { 201: QuotaGroup },
  summary: 'Create a quota group',
  async run({ ctx, body }) {
    const rules = (body.rules ?? []).map(({ name, limit, subjects }) => ({
      name,
      limit: limit ?? undefined,
      subjects: subjectsFrom(subjects),
    }))
    return created(presentGroup(await createGroup(ctx, body.name, rules)))
  },
})

export const adminGetQuotaGroup = operation({
  method: 'GET',
  path: '/admin/quota/groups/{quotagroup}',
  cost: 'usual',
  scope: 'admin',
  requires: [anyone, quotaOn, signedIn, siteAdmin, namedGroup],
  reply: { 200: QuotaGroup },
  summary: 'Get a quota group',
  async run({ ctx }) {
    return ok(presentGroup(await getGroupWithRules(ctx, ctx.group.name)))
  },
})

export const adminDeleteQuotaGroup = operation({
  method: 'DELETE',
  path: '/admin/quota/groups/{quotagroup}',
  cost: 'usual',
  scope: 'admin',
  requires: [anyone, quotaOn, signedIn, siteAdmin, namedGroup],
  reply: { 204: 'empty' },
  summary: 'Delete a quota group',
  run: ({ ctx }) => removeGroup(ctx, ctx.group),
})

export const adminAddRuleToQuotaGroup = operation({
  method: 'PUT',
  path: '/admin/quota/groups/{quotagroup}/rules/{quotarule}',
  cost: 'usual',
  scope: 'admin',
  refuses: [409],
  requires: [anyone, quotaOn, signedIn, siteAdmin, namedGroup, namedRule],
  reply: { 204: 'empty' },
  summary: 'Add a rule to a quota group',
  run: ({ ctx }) => addRuleToGroup(ctx, ctx.group, ctx.rule),
})

export const adminRemoveRuleFromQuotaGroup = operation({
  method: 'DELETE',
  path: '/admin/quota/groups/{quotagroup}/rules/{quotarule}',
  cost: 'usual',
  scope: 'admin',
  requires: [anyone, quotaOn, signedIn, siteAdmin, namedGroup, namedRule],
  reply: { 204: 'empty' },
  summary: 'Remove a rule from a quota group',
  run: ({ ctx }) => removeRuleFromGroup(ctx, ctx.group, ctx.rule),
})

export const adminListUsersInQuotaGroup = operation({
  method: 'GET',
  path: '/admin/quota/groups/{quotagroup}/users',
  cost: 'usual',
  scope: 'admin',
  requires: [anyone, quotaOn, signedIn, siteAdmin, namedGroup],
  reply: { 200: Type.Array(User) },
  summary: 'List the accounts of a quota group',
  async run({ ctx }) {
    return ok((await usersOfGroup(ctx, ctx.group)).map((user) => presentUser(ctx, user)))
  },
})

export const adminAddUserToQuotaGroup = operation({
  method: 'PUT',
  path: '/admin/quota/groups/{quotagroup}/users/{username}',
  cost: 'usual',
  scope: 'admin',
  refuses: [409],
  requires: [anyone, quotaOn, signedIn, siteAdmin, namedGroup, targetUser],
  reply: { 204: 'empty' },
  summary: 'Add an account to a quota group',
  run: ({ ctx }) => addUserToGroup(ctx, ctx.group, ctx.subject),
})

export const adminRemoveUserFromQuotaGroup = operation({
  method: 'DELETE',
  path: '/admin/quota/groups/{quotagroup}/users/{username}',
  cost: 'usual',
  scope: 'admin',
  requires: [anyone, quotaOn, signedIn, siteAdmin, namedGroup, targetUser],
  reply: { 204: 'empty' },
  summary: 'Remove an account from a quota group',
  run: ({ ctx }) => removeUserFromGroup(ctx, ctx.group, ctx.subject),
})

export const adminGetUserQuota = operation({
  method: 'GET',
  path: '/admin/users/{username}/quota',
  cost: 'usual',
  scope: 'admin',
  requires: [anyone, quotaOn, signedIn, siteAdmin, targetUser],
  reply: { 200: QuotaInfo },
  summary: 'Get the quota of an account',
  async run({ ctx }) {
    return ok(presentQuota(await viewQuota(ctx, ctx.subject), 'named'))
  },
})

export const adminSetUserQuotaGroups = operation({
  method: 'POST',
  path: '/admin/users/{username}/quota/groups',
  cost: 'usual',
  scope: 'admin',
  requires: [anyone, quotaOn, signedIn, siteAdmin, targetUser, validBody],
  body: SetUserQuotaGroupsOptions,
  reply: { 204: 'empty' },
  summary: 'Set the quota groups of an account',
  run: ({ ctx, body }) => setGroupsOfUser(ctx, ctx.subject, body.groups ?? []),
})
