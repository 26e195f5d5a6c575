import type { RepoCtx } from '../../access/context.ts'
import type { Rights } from '../../access/rights.ts'
import { recordAct } from '../../audit/audit.ts'
import type { AuditedAction } from '../../audit/audited-actions.ts'
import { isUniqueViolation, transaction } from '../../db/database.ts'
import type { BranchRuleChange, BranchRuleRow } from '../../db/tables/git-data.ts'
import { BadRequest, Forbidden, Invalid, NotFound } from '../../lib/errors.ts'
import { faultOfGlob } from '../../lib/glob.ts'
import { nowUnix } from '../../lib/time.ts'
import { listedTeams, listedUsers } from './allow-list.service.ts'
import { inOrder } from './branch-protection.rules.ts'
import {
  deleteBranchRule,
  findBranchRule,
  insertBranchRule,
  listBranchRules,
  updateBranchRule,
  type BranchRule,
} from './branch-protection.store.ts'

/** Input for a rule; undefined keeps the present value, or is off in a new rule. */
export type BranchRuleInput = { readonly [Column in Flag]?: BranchRuleRow[Column] | undefined } & {
  readonly statusContexts: readonly string[] | undefined
  readonly pushers: AllowList
  readonly mergers: AllowList
  readonly approvers: AllowList
}

/** Names of accounts and teams, each optional. */
interface AllowList {
  readonly users: readonly string[] | undefined
  readonly teams: readonly string[] | undefined
}

/** Columns of a rule besides its lists. */
type Flag =
  | 'enable_push'
  | 'enable_push_whitelist'
  | 'push_deploy_keys'
  | 'required_approvals'
  | (typeof plainColumns)[number]

const plainColumns = [
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
] as const

const maxRules = 500

/** Largest number of characters of the patterns of a rule, and of all rules of a repository. */
const maxRuleCharacters = 20_000
const maxCharacters = 100_000

interface Patterns {
  readonly name?: string
  readonly files: readonly string[]
  readonly contexts: readonly string[]
}

const patternsOf = (
  input: Pick<BranchRuleInput, 'protected_file_patterns' | 'unprotected_file_patterns' | 'statusContexts'>,
): Patterns => ({
  files: [input.protected_file_patterns ?? '', input.unprotected_file_patterns ?? ''].filter((text) => text !== ''),
  contexts: input.statusContexts ?? [],
})

const charactersOf = ({ name = '', files, contexts }: Patterns): number =>
  [name, ...files, ...contexts].reduce((sum, text) => sum + text.length, 0)

/**
 * Throws `Invalid` for patterns that are no globs or are too long.
 * @param others the other rules of the repository
 */
function checkPatterns(given: Patterns, others: readonly BranchRule[]): void {
  const single = given.files.flatMap((text) => text.split(';').map((each) => each.trim()))
  for (const pattern of [given.name ?? '', ...single, ...given.contexts]) {
    const fault = faultOfGlob(pattern)
    if (fault !== undefined) {
      throw new Invalid(`${pattern.slice(0, 100)} is not a valid pattern: ${fault}`, 'pattern_invalid')
    }
  }
  const own = charactersOf(given)
  const sum = others.reduce(
    (before, rule) =>
      before +
      charactersOf({
        name: rule.rule_name,
        ...patternsOf({ ...rule, statusContexts: rule.status_check_contexts ?? [] }),
      }),
    own,
  )
  if (own > maxRuleCharacters || sum > maxCharacters) {
    const message = `patterns have at most ${maxRuleCharacters} characters in a rule and ${maxCharacters} in a repository`
    throw new Invalid(message, 'patterns_too_long')
  }
}

/** Rules in the order of display and precedence. */
export const listRules = async (ctx: RepoCtx): Promise<BranchRule[]> =>
  inOrder(await listBranchRules(ctx.db, ctx.repo.id))

/** The rule with a name. Throws `NotFound`. */
export async function getBranchRule(ctx: RepoCtx, ruleName: string): Promise<BranchRule> {
  const rule = await findBranchRule(ctx.db, ctx.repo.id, ruleName)
  if (!rule) throw new NotFound(`there is no rule ${ruleName}`, 'branch_rule_not_found')
  return rule
}

/** Creates a rule. Throws `BadRequest` without a name, `Invalid` for `.` and `..`, `Forbidden` when the name has a rule (observed). */
export async function createBranchRule(
  ctx: RepoCtx,
  name: string | undefined,
  input: BranchRuleInput,
): Promise<BranchRule> {
  const ruleName = name?.trim() ?? ''
  if (ruleName === '') throw new BadRequest('the rule has no name', 'rule_name_required')
  // Clients shorten addresses that end so, and no branch has such a name.
  if (/^\.\.?$/.test(ruleName)) throw new Invalid(`no branch can be named ${ruleName}`, 'rule_name_invalid')
  const [existing, lists] = await Promise.all([listBranchRules(ctx.db, ctx.repo.id), listsOf(ctx, input)])
  if (existing.length >= maxRules) throw new Forbidden(`a repository has at most ${maxRules} rules`, 'too_many_rules')
  const now = nowUnix(ctx.clock)
  checkPatterns({ name: ruleName, ...patternsOf(input) }, existing)
  const enablePush = input.enable_push ?? false
  try {
    return await transaction(ctx.db, async (tx) => {
      const made = await insertBranchRule(tx, {
        repo_id: ctx.repo.id,
        rule_name: ruleName,
        enable_push: enablePush,
        enable_push_whitelist: enablePush && (input.enable_push_whitelist ?? false),
        push_user_ids: lists.push_user_ids ?? '[]',
        push_team_ids: lists.push_team_ids ?? '[]',
        push_deploy_keys: enablePush && (input.push_deploy_keys ?? false),
        enable_merge_whitelist: input.enable_merge_whitelist ?? false,
        merge_user_ids: lists.merge_user_ids ?? '[]',
        merge_team_ids: lists.merge_team_ids ?? '[]',
        enable_status_check: input.enable_status_check ?? false,
        status_check_contexts: input.statusContexts ? JSON.stringify(input.statusContexts) : null,
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
      })
      await recordAct(tx, actOn(ctx, 'branchProtection.created', made.rule_name, made.id))
      return made
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new Forbidden(`there is a rule ${ruleName} already`, 'branch_rule_exists')
    throw error
  }
}

/** Changes the given parts of a rule. */
export async function changeBranchRule(ctx: RepoCtx, rule: BranchRule, input: BranchRuleInput): Promise<BranchRule> {
  const given = patternsOf(input)
  if (given.files.length > 0 || given.contexts.length > 0) {
    const others = (await listBranchRules(ctx.db, ctx.repo.id)).filter(({ id }) => id !== rule.id)
    checkPatterns(given, others)
  }
  const lists = await listsOf(ctx, input)
  const change: BranchRuleChange = {
    ...pushFlags(input),
    ...lists,
    ...pick(input, plainColumns),
    ...(input.statusContexts ? { status_check_contexts: JSON.stringify(input.statusContexts) } : {}),
    ...(input.required_approvals !== undefined && input.required_approvals >= 0
      ? { required_approvals: input.required_approvals }
      : {}),
    updated_unix: nowUnix(ctx.clock),
  }
  const changed = await transaction(ctx.db, async (tx) => {
    const after = await updateBranchRule(tx, rule.id, change)
    if (after) await recordAct(tx, actOn(ctx, 'branchProtection.changed', after.rule_name, after.id))
    return after
  })
  if (!changed) throw new NotFound(`there is no rule ${rule.rule_name}`, 'branch_rule_not_found')
  return changed
}

/** The flags of the push list apply only while pushing is enabled, and are cleared when it is disabled. */
function pushFlags(input: BranchRuleInput): BranchRuleChange {
  if (input.enable_push === undefined) return {}
  if (!input.enable_push) return { enable_push: false, enable_push_whitelist: false, push_deploy_keys: false }
  const isListed = input.enable_push_whitelist
  if (isListed === undefined) return { enable_push: true }
  return {
    enable_push: true,
    enable_push_whitelist: isListed,
    ...(!isListed
      ? { push_deploy_keys: false }
      : input.push_deploy_keys === undefined
        ? {}
        : { push_deploy_keys: input.push_deploy_keys }),
  }
}

const actOn = (ctx: RepoCtx, action: AuditedAction, name: string, id: number | null = null) => ({
  action,
  about: { kind: 'branch protection' as const, id, name },
  details: { repository: ctx.repo.id },
})

export async function removeBranchRule(ctx: RepoCtx, ruleName: string): Promise<void> {
  const isDeleted = await transaction(ctx.db, async (tx) => {
    const isGone = await deleteBranchRule(tx, ctx.repo.id, ruleName)
    if (isGone) await recordAct(tx, actOn(ctx, 'branchProtection.deleted', ruleName))
    return isGone
  })
  if (!isDeleted) throw new NotFound(`there is no rule ${ruleName}`, 'branch_rule_not_found')
}

function pick<Key extends keyof BranchRuleInput>(
  input: BranchRuleInput,
  keys: readonly Key[],
): { [Each in Key]?: NonNullable<BranchRuleInput[Each]> } {
  const given: { [Each in Key]?: NonNullable<BranchRuleInput[Each]> } = {}
  for (const key of keys) {
    const value = input[key]
    if (value !== undefined) given[key] = value
  }
  return given
}

const mayWriteCode = (rights: Rights): boolean => rights.canWrite('code')
const mayReadCode = (rights: Rights): boolean => rights.canRead('code')

/** The given lists as column values. Accounts without the required access are left out (observed). */
async function listsOf(ctx: RepoCtx, { pushers, mergers, approvers }: BranchRuleInput) {
  const json = async (ids: Promise<readonly number[]>) => JSON.stringify(await ids)
  const users = (list: AllowList, mayBeListed: (rights: Rights) => boolean) =>
    list.users && json(listedUsers(ctx, list.users, mayBeListed))
  const teams = (list: AllowList) => list.teams && json(listedTeams(ctx, list.teams))
  const [pushUsers, pushTeams, mergeUsers, mergeTeams, approvalUsers, approvalTeams] = await Promise.all([
    users(pushers, mayWriteCode),
    teams(pushers),
    users(mergers, mayWriteCode),
    teams(mergers),
    users(approvers, mayReadCode),
    teams(approvers),
  ])
  return {
    ...(pushUsers === undefined ? {} : { push_user_ids: pushUsers }),
    ...(pushTeams === undefined ? {} : { push_team_ids: pushTeams }),
    ...(mergeUsers === undefined ? {} : { merge_user_ids: mergeUsers }),
    ...(mergeTeams === undefined ? {} : { merge_team_ids: mergeTeams }),
    ...(approvalUsers === undefined ? {} : { approvals_user_ids: approvalUsers }),
    ...(approvalTeams === undefined ? {} : { approvals_team_ids: approvalTeams }),
  }
}
