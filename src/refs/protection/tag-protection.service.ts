import type { RepoCtx } from '../../access/context.ts'
import type { Rights } from '../../access/rights.ts'
import { recordAct } from '../../audit/audit.ts'
import type { AuditedAction } from '../../audit/audited-actions.ts'
import { transaction } from '../../db/database.ts'
import { BadRequest, Forbidden, Invalid, NotFound } from '../../lib/errors.ts'
import type { TagRuleId } from '../../lib/ids.ts'
import { faultOfExpression } from '../../lib/expression.ts'
import { faultOfGlob } from '../../lib/glob.ts'
import { nowUnix } from '../../lib/time.ts'
import type { WorkBudget } from '../../lib/work-budget.ts'
import { listedTeams, listedUsers } from './allow-list.service.ts'
import { expressionOf } from './tag-protection.rules.ts'
import {
  deleteTagRule,
  findTagRule,
  insertTagRule,
  listTagRules,
  updateTagRule,
  type TagRule,
} from './tag-protection.store.ts'

/** Input for a rule; undefined keeps the present value. */
export interface TagRuleInput {
  readonly pattern: string | undefined
  /** Names of accounts and teams that may create, move and delete matching tags. */
  readonly users: readonly string[] | undefined
  readonly teams: readonly string[] | undefined
}

const maxRules = 500

const mayReadCode = (rights: Rights): boolean => rights.canRead('code')

/** Rules, oldest first. */
export const listRules = (ctx: RepoCtx): Promise<TagRule[]> => listTagRules(ctx.db, ctx.repo.id)

/** The rule with an id. Throws `NotFound`. */
export async function getTagRule(ctx: RepoCtx, id: number): Promise<TagRule> {
  const rule = await findTagRule(ctx.db, ctx.repo.id, id as TagRuleId)
  if (!rule) throw new NotFound('the rule does not exist', 'tag_rule_not_found')
  return rule
}

/** Largest number of characters of all patterns of a repository. */
const maxCharacters = 50_000

/** @param others the other rules of the repository */
function checkPattern(pattern: string, others: readonly TagRule[], budget: WorkBudget): void {
  const expression = expressionOf(pattern)
  const reason = expression === undefined ? faultOfGlob(pattern) : faultOfExpression(expression, budget)?.reason
  if (reason !== undefined) {
    const kind = expression === undefined ? 'glob' : 'regular expression'
    throw new Invalid(`[name_pattern]: is not a valid ${kind}: ${reason}`, 'pattern_invalid')
  }
  if (others.reduce((sum, rule) => sum + rule.name_pattern.length, pattern.length) > maxCharacters) {
    const message = `[name_pattern]: all patterns of a repository have at most ${maxCharacters} characters`
    throw new Invalid(message, 'patterns_too_long')
  }
}

/**
 * Creates a rule. Throws `BadRequest` without a pattern or an allowed account, `Forbidden` when a rule has the same
 * pattern (observed).
 */
export async function createTagRule(ctx: RepoCtx, input: TagRuleInput): Promise<TagRule> {
  const pattern = input.pattern?.trim() ?? ''
  if (pattern === '') throw new BadRequest('the rule has no pattern', 'pattern_required')
  if (!input.users?.length && !input.teams?.length) {
    throw new BadRequest('the rule allows nobody', 'nobody_allowed')
  }
  const existing = await listTagRules(ctx.db, ctx.repo.id)
  checkPattern(pattern, existing, ctx.budget)
  if (existing.some((rule) => rule.name_pattern === pattern)) {
    throw new Forbidden(`there is a rule ${pattern} already`, 'tag_rule_exists')
  }
  if (existing.length >= maxRules) throw new Forbidden(`a repository has at most ${maxRules} rules`, 'too_many_rules')
  const userIds = await listedUsers(ctx, input.users ?? [], mayReadCode)
  const teamIds = await listedTeams(ctx, input.teams ?? [])
  const now = nowUnix(ctx.clock)
  return transaction(ctx.db, async (tx) => {
    const made = await insertTagRule(tx, {
      repo_id: ctx.repo.id,
      name_pattern: pattern,
      user_ids: JSON.stringify(userIds),
      team_ids: JSON.stringify(teamIds),
      created_unix: now,
      updated_unix: now,
    })
    await recordAct(tx, actOn(ctx, 'tagProtection.created', made.id, made.name_pattern))
    return made
  })
}

const actOn = (ctx: RepoCtx, action: AuditedAction, id: number, name?: string) => ({
  action,
  about: { kind: 'tag protection' as const, id, ...(name === undefined ? {} : { name }) },
  details: { repository: ctx.repo.id },
})

/** Changes the given parts of a rule. */
export async function changeTagRule(ctx: RepoCtx, rule: TagRule, input: TagRuleInput): Promise<TagRule> {
  const pattern = input.pattern?.trim()
  if (pattern) {
    const others = (await listTagRules(ctx.db, ctx.repo.id)).filter(({ id }) => id !== rule.id)
    checkPattern(pattern, others, ctx.budget)
  }
  const users = input.users && (await listedUsers(ctx, input.users, mayReadCode))
  const teams = input.teams && (await listedTeams(ctx, input.teams))
  const changed = await transaction(ctx.db, async (tx) => {
    const after = await updateTagRule(tx, rule.id, {
      ...(pattern ? { name_pattern: pattern } : {}),
      ...(users ? { user_ids: JSON.stringify(users) } : {}),
      ...(teams ? { team_ids: JSON.stringify(teams) } : {}),
      updated_unix: nowUnix(ctx.clock),
    })
    if (after) await recordAct(tx, actOn(ctx, 'tagProtection.changed', after.id, after.name_pattern))
    return after
  })
  if (!changed) throw new NotFound('the rule does not exist', 'tag_rule_not_found')
  return changed
}

export async function removeTagRule(ctx: RepoCtx, id: number): Promise<void> {
  const isDeleted = await transaction(ctx.db, async (tx) => {
    const isGone = await deleteTagRule(tx, ctx.repo.id, id as TagRuleId)
    if (isGone) await recordAct(tx, actOn(ctx, 'tagProtection.deleted', id))
    return isGone
  })
  if (!isDeleted) throw new NotFound('the rule does not exist', 'tag_rule_not_found')
}
