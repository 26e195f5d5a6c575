import type { RepoCtx } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import { isRegExp } from '../lib/bounded-regexp.ts'
import { BadRequest, Forbidden, Invalid, NotFound } from '../lib/errors.ts'
import type { TagRuleId } from '../lib/ids.ts'
import { nowUnix } from '../lib/time.ts'
import { listedTeams, listedUsers } from './allow-list.service.ts'
import { expressionOf } from './tag-protection.rules.ts'
import type { CreateTagProtectionOption, EditTagProtectionOption } from './tag-protection.schemas.ts'
import {
  deleteTagRule,
  findTagRule,
  insertTagRule,
  listTagRules,
  updateTagRule,
  type TagRule,
} from './tag-protection.store.ts'

const maxRules = 500

/** Rules, the oldest first. */
export const listRules = (ctx: RepoCtx): Promise<TagRule[]> => listTagRules(ctx.db, ctx.repo.id)

/** The rule of an id; `NotFound` when the repository has none. */
export async function getTagRule(ctx: RepoCtx, id: number): Promise<TagRule> {
  const rule = await findTagRule(ctx.db, ctx.repo.id, id as TagRuleId)
  if (!rule) throw new NotFound('the rule does not exist', 'tag_rule_not_found')
  return rule
}

function checkPattern(pattern: string): void {
  const expression = expressionOf(pattern)
  if (expression !== undefined && !isRegExp(expression)) {
    throw new Invalid(`[name_pattern]: ${pattern} is no regular expression`, 'pattern_invalid')
  }
}

/** Makes a rule. No pattern, or nobody allowed, is `BadRequest`; a pattern that has a rule already is `Forbidden` (observed). */
export async function createTagRule(ctx: RepoCtx, input: CreateTagProtectionOption): Promise<TagRule> {
  const pattern = input.name_pattern?.trim() ?? ''
  if (pattern === '') throw new BadRequest('the rule has no pattern', 'pattern_required')
  if (!input.whitelist_usernames?.length && !input.whitelist_teams?.length) {
    throw new BadRequest('the rule allows nobody', 'nobody_allowed')
  }
  checkPattern(pattern)
  const existing = await listTagRules(ctx.db, ctx.repo.id)
  if (existing.some((rule) => rule.name_pattern === pattern)) {
    throw new Forbidden(`there is a rule ${pattern} already`, 'tag_rule_exists')
  }
  if (existing.length >= maxRules) throw new Forbidden(`a repository has at most ${maxRules} rules`, 'too_many_rules')
  const userIds = await listedUsers(ctx, input.whitelist_usernames ?? [], (rights) => rights.canRead('code'))
  const teamIds = await listedTeams(ctx, input.whitelist_teams ?? [])
  const now = nowUnix(ctx.clock)
  return transaction(ctx.db, (tx) =>
    insertTagRule(tx, {
      repo_id: ctx.repo.id,
      name_pattern: pattern,
      user_ids: JSON.stringify(userIds),
      team_ids: JSON.stringify(teamIds),
      created_unix: now,
      updated_unix: now,
    }),
  )
}

/** Changes the parts of a rule that are given. */
export async function changeTagRule(ctx: RepoCtx, rule: TagRule, input: EditTagProtectionOption): Promise<TagRule> {
  const pattern = input.name_pattern?.trim()
  if (pattern) checkPattern(pattern)
  const users =
    input.whitelist_usernames && (await listedUsers(ctx, input.whitelist_usernames, (rights) => rights.canRead('code')))
  const teams = input.whitelist_teams && (await listedTeams(ctx, input.whitelist_teams))
  const changed = await transaction(ctx.db, (tx) =>
    updateTagRule(tx, rule.id, {
      ...(pattern ? { name_pattern: pattern } : {}),
      ...(users ? { user_ids: JSON.stringify(users) } : {}),
      ...(teams ? { team_ids: JSON.stringify(teams) } : {}),
      updated_unix: nowUnix(ctx.clock),
    }),
  )
  if (!changed) throw new NotFound('the rule does not exist', 'tag_rule_not_found')
  return changed
}

export async function removeTagRule(ctx: RepoCtx, id: number): Promise<void> {
  const isDeleted = await transaction(ctx.db, (tx) => deleteTagRule(tx, ctx.repo.id, id as TagRuleId))
  if (!isDeleted) throw new NotFound('the rule does not exist', 'tag_rule_not_found')
}
