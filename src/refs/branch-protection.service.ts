import type { RepoCtx } from '../access/context.ts'
import type { Rights } from '../access/rights.ts'
import { isUniqueViolation, transaction } from '../db/database.ts'
import type { BranchRuleChange } from '../db/tables/git-data.ts'
import { BadRequest, Forbidden, NotFound } from '../lib/errors.ts'
import { nowUnix } from '../lib/time.ts'
import { listedTeams, listedUsers } from './allow-list.service.ts'
import { inOrder } from './branch-protection.rules.ts'
import type { EditBranchProtectionOption } from './branch-protection.schemas.ts'
import {
  deleteBranchRule,
  findBranchRule,
  insertBranchRule,
  listBranchRules,
  updateBranchRule,
  type BranchRule,
} from './branch-protection.store.ts'

/** What a request says about a rule; a missing part keeps what is there, or is off for a new one. */
type RuleInput = EditBranchProtectionOption

const maxRules = 500

/** Rules in the order they are shown and asked in. */
export const listRules = async (ctx: RepoCtx): Promise<BranchRule[]> =>
  inOrder(await listBranchRules(ctx.db, ctx.repo.id))

/** The rule of a name; `NotFound` when there is none. */
export async function getBranchRule(ctx: RepoCtx, ruleName: string): Promise<BranchRule> {
  const rule = await findBranchRule(ctx.db, ctx.repo.id, ruleName)
  if (!rule) throw new NotFound(`there is no rule ${ruleName}`, 'branch_rule_not_found')
  return rule
}

/** Makes a rule. Without a name it is `BadRequest`, a name that has one already is `Forbidden` (observed). */
export async function createBranchRule(ctx: RepoCtx, name: string | undefined, input: RuleInput): Promise<BranchRule> {
  const ruleName = name?.trim() ?? ''
  if (ruleName === '') throw new BadRequest('the rule has no name', 'rule_name_required')
  const [existing, lists] = await Promise.all([listBranchRules(ctx.db, ctx.repo.id), listsOf(ctx, input)])
  if (existing.length >= maxRules) throw new Forbidden(`a repository has at most ${maxRules} rules`, 'too_many_rules')
  const now = nowUnix(ctx.clock)
  const enablePush = input.enable_push ?? false
  try {
    return await transaction(ctx.db, (tx) =>
      insertBranchRule(tx, {
        repo_id: ctx.repo.id,
        rule_name: ruleName,
        enable_push: enablePush,
        enable_push_whitelist: enablePush && (input.enable_push_whitelist ?? false),
        push_user_ids: lists.push_user_ids ?? '[]',
        push_team_ids: lists.push_team_ids ?? '[]',
        push_deploy_keys: enablePush && (input.push_whitelist_deploy_keys ?? false),
        enable_merge_whitelist: input.enable_merge_whitelist ?? false,
        merge_user_ids: lists.merge_user_ids ?? '[]',
        merge_team_ids: lists.merge_team_ids ?? '[]',
        enable_status_check: input.enable_status_check ?? false,
        status_check_contexts: input.status_check_contexts ? JSON.stringify(input.status_check_contexts) : null,
        required_approvals: Math.max(0, input.required_approvals ?? 0),
        enable_approvals_whitelist: input.enable_approvals_whitelist ?? false,
        approvals_user_ids: lists.approvals_user_ids ?? '[]',
        approvals_team_ids: lists.approvals_team_ids ?? '[]',
        block_on_rejected_reviews: input.block_on_rejected_reviews ?? false,
        block_on_official_review_requests: input.block_on_official_review_requests ?? false,
        block_on_outdated_branch: input.block_on_outdated_branch ?? false,
        dismiss_stale_approvals: input.dismiss_stale_approvals ?? false,
        ignore_stale_approvals: input.ignore_stale_approvals ?? false,
        require_signed_commits: input.require_signed_commits ?? false,
        protected_file_patterns: input.protected_file_patterns ?? '',
        unprotected_file_patterns: input.unprotected_file_patterns ?? '',
        apply_to_admins: input.apply_to_admins ?? false,
        created_unix: now,
        updated_unix: now,
      }),
    )
  } catch (error) {
    if (isUniqueViolation(error)) throw new Forbidden(`there is a rule ${ruleName} already`, 'branch_rule_exists')
    throw error
  }
}

/** Changes the parts of a rule that are given. */
export async function changeBranchRule(ctx: RepoCtx, rule: BranchRule, input: RuleInput): Promise<BranchRule> {
  const lists = await listsOf(ctx, input)
  const change: BranchRuleChange = {
    ...pushFlags(input),
    ...lists,
    ...pick(input, [
      'enable_merge_whitelist',
      'enable_status_check',
      'enable_approvals_whitelist',
      'block_on_rejected_reviews',
      'block_on_official_review_requests',
      'block_on_outdated_branch',
      'dismiss_stale_approvals',
      'ignore_stale_approvals',
      'require_signed_commits',
      'protected_file_patterns',
      'unprotected_file_patterns',
      'apply_to_admins',
    ]),
    ...(input.status_check_contexts ? { status_check_contexts: JSON.stringify(input.status_check_contexts) } : {}),
    ...(input.required_approvals !== undefined && input.required_approvals >= 0
      ? { required_approvals: input.required_approvals }
      : {}),
    updated_unix: nowUnix(ctx.clock),
  }
  const changed = await transaction(ctx.db, (tx) => updateBranchRule(tx, rule.id, change))
  if (!changed) throw new NotFound(`there is no rule ${rule.rule_name}`, 'branch_rule_not_found')
  return changed
}

/** The flags of the list of pushers count only together with pushing being switched on, and go when it is switched off. */
function pushFlags(input: RuleInput): BranchRuleChange {
  if (input.enable_push === undefined) return {}
  if (!input.enable_push) return { enable_push: false, enable_push_whitelist: false, push_deploy_keys: false }
  const isListed = input.enable_push_whitelist
  if (isListed === undefined) return { enable_push: true }
  return {
    enable_push: true,
    enable_push_whitelist: isListed,
    ...(!isListed
      ? { push_deploy_keys: false }
      : input.push_whitelist_deploy_keys === undefined
        ? {}
        : { push_deploy_keys: input.push_whitelist_deploy_keys }),
  }
}

export async function removeBranchRule(ctx: RepoCtx, ruleName: string): Promise<void> {
  const isDeleted = await transaction(ctx.db, (tx) => deleteBranchRule(tx, ctx.repo.id, ruleName))
  if (!isDeleted) throw new NotFound(`there is no rule ${ruleName}`, 'branch_rule_not_found')
}

function pick<Key extends keyof RuleInput>(
  input: RuleInput,
  keys: readonly Key[],
): { [Each in Key]?: NonNullable<RuleInput[Each]> } {
  const given: { [Each in Key]?: NonNullable<RuleInput[Each]> } = {}
  for (const key of keys) {
    const value = input[key]
    if (value !== undefined) given[key] = value
  }
  return given
}

const mayWriteCode = (rights: Rights): boolean => rights.canWrite('code')
const mayReadCode = (rights: Rights): boolean => rights.canRead('code')

/** The lists that a request gives, as their columns hold them; who could not use the list is left out (observed). */
async function listsOf(ctx: RepoCtx, input: RuleInput) {
  const json = async (ids: Promise<readonly number[]>) => JSON.stringify(await ids)
  const [pushers, pushTeams, mergers, mergeTeams, approvers, approvalTeams] = await Promise.all([
    input.push_whitelist_usernames && json(listedUsers(ctx, input.push_whitelist_usernames, mayWriteCode)),
    input.push_whitelist_teams && json(listedTeams(ctx, input.push_whitelist_teams)),
    input.merge_whitelist_usernames && json(listedUsers(ctx, input.merge_whitelist_usernames, mayWriteCode)),
    input.merge_whitelist_teams && json(listedTeams(ctx, input.merge_whitelist_teams)),
    input.approvals_whitelist_username && json(listedUsers(ctx, input.approvals_whitelist_username, mayReadCode)),
    input.approvals_whitelist_teams && json(listedTeams(ctx, input.approvals_whitelist_teams)),
  ])
  return {
    ...(pushers === undefined ? {} : { push_user_ids: pushers }),
    ...(pushTeams === undefined ? {} : { push_team_ids: pushTeams }),
    ...(mergers === undefined ? {} : { merge_user_ids: mergers }),
    ...(mergeTeams === undefined ? {} : { merge_team_ids: mergeTeams }),
    ...(approvers === undefined ? {} : { approvals_user_ids: approvers }),
    ...(approvalTeams === undefined ? {} : { approvals_team_ids: approvalTeams }),
  }
}
