import { Type } from 'typebox'
import { siteAdmin } from '../../../access/requirements.ts'
import { parseBytes } from '../../../config/setting.ts'
import { Invalid } from '../../../lib/errors.ts'
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
} from '../../../quota/group.service.ts'
import { presentGroup, presentQuota, presentRule } from '../../../quota/quota.present.ts'
import { namedGroup, namedRule, quotaOn } from '../../../quota/quota.requirements.ts'
import { allRules, createRule, editRule, getRule, removeRule } from '../../../quota/rule.service.ts'
import { subjectsFrom } from '../../../quota/subject.rules.ts'
import { viewQuota } from '../../../quota/view.service.ts'
import { targetUser } from '../../../users/subject.requirements.ts'
import { findShownUser } from '../../../users/user.service.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, nothingTyped, page } from '../../shell/page.tsx'
import { inAdministration } from '../administration-frame.tsx'
import { accountQuotaPath, groupPath, quotaPath as to } from './quota-paths.ts'
import { AccountQuotaView, QuotaGroupView, QuotaRuleView, QuotaView } from './quota.view.tsx'
import { administrationTexts } from '../../languages/texts.ts'
import { textUpTo } from '../../ui/fields.ts'

const texts = administrationTexts.quotas
const frame = inAdministration('quota')
const text = textUpTo(255)
const names = Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100 }))
const ruleFields = { name: text, limit: text, subjects: names }

/** Reads the bytes of a limit; -1 is no limit. */
function limitFrom(typed: string | undefined): number {
  const limit = typed?.trim() ?? ''
  const size = limit === '-1' ? -1 : parseBytes(limit)
  if (size === undefined) throw new Invalid(texts.noSize, 'limit_invalid', { field: 'limit' })
  return size
}

/** Reads the name of a new rule or group. */
function nameFrom(typed: string | undefined): string {
  const name = typed?.trim() ?? ''
  if (name === '') throw new Invalid(texts.noName, 'name_missing', { field: 'name' })
  return name
}

/** Lists groups and rules of quotas. */
export const administrationQuotaPage = page({
  path: '/admin/quota',
  twin: 'adminListQuotaGroups',
  cost: 'usual',
  requires: [quotaOn, inSession, siteAdmin],
  frame,
  async load({ ctx }) {
    const [groups, rules] = await Promise.all([allGroups(ctx), allRules(ctx)])
    const { defaultGroups } = ctx.config.quota
    return { groups: groups.map((group) => presentGroup(group)), rules: rules.map(presentRule), defaultGroups }
  },
  meta: () => ({ title: administrationTexts.quota, isUnlisted: true }),
  view: QuotaView,
})

export const administrationCreateQuotaRule = act({
  path: '/admin/quota/rules',
  twin: 'adminCreateQuotaRule',
  cost: 'usual',
  requires: [quotaOn, siteAdmin],
  fields: ruleFields,
  again: administrationQuotaPage,
  problemFields: { quota_rule: 'name' },
  async run({ ctx, body }) {
    const name = nameFrom(body.name)
    await createRule(ctx, { name, limit: limitFrom(body.limit), subjects: subjectsFrom(body.subjects) ?? [] })
    return { to, notice: texts.ruleMade(name) }
  },
})

/** Shows a rule. */
export const administrationQuotaRulePage = page({
  path: '/admin/quota/rules/{quotarule}',
  twin: 'adminGetQuotaRule',
  cost: 'usual',
  requires: [quotaOn, inSession, siteAdmin, namedRule],
  frame,
  load: async ({ ctx }) => ({ name: ctx.rule.name, rule: presentRule(ctx.rule) }),
  meta: ({ name }) => ({ title: name, isUnlisted: true }),
  view: QuotaRuleView,
})

export const administrationEditQuotaRule = act({
  path: '/admin/quota/rules/{quotarule}',
  edits: true,
  twin: 'adminEditQuotaRule',
  cost: 'usual',
  requires: [quotaOn, siteAdmin, namedRule],
  fields: { limit: text, subjects: names },
  again: administrationQuotaRulePage,
  async run({ ctx, body }) {
    const { rule } = ctx
    await editRule(ctx, rule, { limit: limitFrom(body.limit), subjects: subjectsFrom(body.subjects) ?? [] })
    return { to, notice: texts.ruleSaved(rule.name) }
  },
})

export const administrationDeleteQuotaRule = act({
  path: '/admin/quota/rules/{quotarule}/delete',
  twin: 'adminDEleteQuotaRule',
  cost: 'usual',
  requires: [quotaOn, siteAdmin, namedRule],
  async run({ ctx }) {
    await removeRule(ctx, ctx.rule)
    return { to, notice: texts.ruleDeleted(ctx.rule.name) }
  },
})

export const administrationCreateQuotaGroup = act({
  path: '/admin/quota/groups',
  twin: 'adminCreateQuotaGroup',
  cost: 'usual',
  requires: [quotaOn, siteAdmin],
  fields: { name: text, rules: names },
  again: administrationQuotaPage,
  problemFields: { quota_group: 'name' },
  async run({ ctx, body }) {
    const name = nameFrom(body.name)
    await createGroup(
      ctx,
      name,
      (body.rules ?? []).map((rule) => ({ name: rule })),
    )
    return { to: groupPath(name), notice: texts.groupMade(name) }
  },
})

/** Shows a group with its rules and accounts. */
export const administrationQuotaGroupPage = page({
  path: '/admin/quota/groups/{quotagroup}',
  twin: 'adminGetQuotaGroup',
  cost: 'usual',
  requires: [quotaOn, inSession, siteAdmin, namedGroup],
  frame,
  async load({ ctx }) {
    const { name } = ctx.group
    const [group, rules, accounts] = await Promise.all([
      getGroupWithRules(ctx, name),
      allRules(ctx),
      usersOfGroup(ctx, ctx.group),
    ])
    const own = presentGroup(group).rules ?? []
    const others = rules.filter((rule) => own.every((each) => each.name !== rule.name)).map((rule) => rule.name)
    return { name, rules: own, others, accounts, isDefault: ctx.config.quota.defaultGroups.includes(name) }
  },
  meta: ({ name }) => ({ title: name, isUnlisted: true }),
  view: QuotaGroupView,
})

export const administrationDeleteQuotaGroup = act({
  path: '/admin/quota/groups/{quotagroup}/delete',
  twin: 'adminDeleteQuotaGroup',
  cost: 'usual',
  requires: [quotaOn, siteAdmin, namedGroup],
  async run({ ctx }) {
    await removeGroup(ctx, ctx.group)
    return { to, notice: texts.groupDeleted(ctx.group.name) }
  },
})

export const administrationAddRuleToQuotaGroup = act({
  path: '/admin/quota/groups/{quotagroup}/rules',
  twin: 'adminAddRuleToQuotaGroup',
  cost: 'usual',
  requires: [quotaOn, siteAdmin, namedGroup],
  fields: { rule: text },
  again: administrationQuotaGroupPage,
  problemFields: { quota_: 'rule' },
  async run({ ctx, body }) {
    await addRuleToGroup(ctx, ctx.group, await getRule(ctx, body.rule ?? ''))
    return { to: groupPath(ctx.group.name), notice: texts.ruleAdded(body.rule ?? '') }
  },
})

export const administrationRemoveRuleFromQuotaGroup = act({
  path: '/admin/quota/groups/{quotagroup}/rules/delete',
  twin: 'adminRemoveRuleFromQuotaGroup',
  cost: 'usual',
  requires: [quotaOn, siteAdmin, namedGroup],
  fields: { rule: text },
  again: nothingTyped,
  async run({ ctx, body }) {
    await removeRuleFromGroup(ctx, ctx.group, await getRule(ctx, body.rule ?? ''))
    return { to: groupPath(ctx.group.name), notice: texts.ruleRemoved(body.rule ?? '') }
  },
})

export const administrationAddUserToQuotaGroup = act({
  path: '/admin/quota/groups/{quotagroup}/users',
  twin: 'adminAddUserToQuotaGroup',
  cost: 'usual',
  requires: [quotaOn, siteAdmin, namedGroup],
  fields: { account: text },
  again: administrationQuotaGroupPage,
  problemFields: { quota_: 'account', user_: 'account' },
  async run({ ctx, body }) {
    const account = await findShownUser(ctx, (body.account ?? '').trim())
    if (!account) throw new Invalid(texts.noAccount, 'user_unknown')
    await addUserToGroup(ctx, ctx.group, account)
    return { to: groupPath(ctx.group.name), notice: texts.accountAdded(account.name) }
  },
})

export const administrationRemoveUserFromQuotaGroup = act({
  path: '/admin/quota/groups/{quotagroup}/users/{username}/delete',
  twin: 'adminRemoveUserFromQuotaGroup',
  cost: 'usual',
  requires: [quotaOn, siteAdmin, namedGroup, targetUser],
  async run({ ctx }) {
    await removeUserFromGroup(ctx, ctx.group, ctx.subject)
    return { to: groupPath(ctx.group.name), notice: texts.accountRemoved(ctx.subject.name) }
  },
})

/** Shows what an account stores, and its groups. */
export const administrationUserQuotaPage = page({
  path: '/admin/users/{username}/quota',
  twin: 'adminGetUserQuota',
  cost: 'usual',
  requires: [quotaOn, inSession, siteAdmin, targetUser],
  frame,
  async load({ ctx }) {
    const [quota, groups] = await Promise.all([viewQuota(ctx, ctx.subject), allGroups(ctx)])
    const { used, groups: own } = presentQuota(quota, 'named')
    return {
      account: ctx.subject,
      used,
      groups: groups.map(({ name }) => ({ name, isChosen: (own ?? []).some((group) => group.name === name) })),
    }
  },
  meta: ({ account }) => ({ title: texts.of(account.name), isUnlisted: true }),
  view: AccountQuotaView,
})

export const administrationSetUserQuotaGroups = act({
  path: '/admin/users/{username}/quota',
  edits: true,
  twin: 'adminSetUserQuotaGroups',
  cost: 'usual',
  requires: [quotaOn, siteAdmin, targetUser],
  fields: { groups: names },
  again: administrationUserQuotaPage,
  async run({ ctx, body }) {
    await setGroupsOfUser(ctx, ctx.subject, body.groups ?? [])
    return { to: accountQuotaPath(ctx.subject.name), notice: texts.groupsSaved(ctx.subject.name) }
  },
})
