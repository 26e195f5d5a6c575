import type { Ctx } from '../../access/context.ts'
import { formatUnix } from '../../lib/time.ts'
import { loadListNames } from './allow-list.present.ts'
import { isPattern } from './branch-protection.rules.ts'
import type { BranchProtection } from './branch-protection.schemas.ts'
import type { BranchRule } from './branch-protection.store.ts'

/** Presents rules with the names of listed accounts and teams. */
export async function presentBranchRules(
  ctx: Pick<Ctx, 'db'>,
  rules: readonly BranchRule[],
): Promise<BranchProtection[]> {
  const names = await loadListNames(
    ctx.db,
    rules.flatMap((rule) => [...rule.push_user_ids, ...rule.merge_user_ids, ...rule.approvals_user_ids]),
    rules.flatMap((rule) => [...rule.push_team_ids, ...rule.merge_team_ids, ...rule.approvals_team_ids]),
  )
  return rules.map((rule) => ({
    branch_name: isPattern(rule) ? '' : rule.rule_name,
    rule_name: rule.rule_name,
    enable_push: rule.enable_push,
    enable_push_whitelist: rule.enable_push_whitelist,
    push_whitelist_usernames: names.users(rule.push_user_ids),
    push_whitelist_teams: names.teams(rule.push_team_ids),
    push_whitelist_deploy_keys: rule.push_deploy_keys,
    enable_merge_whitelist: rule.enable_merge_whitelist,
    merge_whitelist_usernames: names.users(rule.merge_user_ids),
    merge_whitelist_teams: names.teams(rule.merge_team_ids),
    enable_status_check: rule.enable_status_check,
    status_check_contexts: rule.status_check_contexts === null ? null : [...rule.status_check_contexts],
    required_approvals: rule.required_approvals,
    enable_approvals_whitelist: rule.enable_approvals_whitelist,
    approvals_whitelist_username: names.users(rule.approvals_user_ids),
    approvals_whitelist_teams: names.teams(rule.approvals_team_ids),
    block_on_rejected_reviews: rule.block_on_rejected_reviews,
    block_on_official_review_requests: rule.block_on_official_review_requests,
    block_on_outdated_branch: rule.block_on_outdated_branch,
    dismiss_stale_approvals: rule.dismiss_stale_approvals,
    ignore_stale_approvals: rule.ignore_stale_approvals,
    require_signed_commits: rule.require_signed_commits,
    protected_file_patterns: rule.protected_file_patterns,
    unprotected_file_patterns: rule.unprotected_file_patterns,
    apply_to_admins: rule.apply_to_admins,
    created_at: formatUnix(rule.created_unix),
    updated_at: formatUnix(rule.updated_unix),
  }))
}

export async function presentBranchRule(ctx: Pick<Ctx, 'db'>, rule: BranchRule): Promise<BranchProtection> {
  const [presented] = await presentBranchRules(ctx, [rule])
  return presented as BranchProtection
}
