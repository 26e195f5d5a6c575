import { Type, type Static } from 'typebox'
import { dateTime, nullable, object, closedObject } from '../../http/schema.ts'

export const BranchProtection = object('BranchProtection', {
  branch_name: Type.String(),
  rule_name: Type.String(),
  enable_push: Type.Boolean(),
  enable_push_whitelist: Type.Boolean(),
  push_whitelist_usernames: nullable(Type.Array(Type.String())),
  push_whitelist_teams: nullable(Type.Array(Type.String())),
  push_whitelist_deploy_keys: Type.Boolean(),
  enable_merge_whitelist: Type.Boolean(),
  merge_whitelist_usernames: nullable(Type.Array(Type.String())),
  merge_whitelist_teams: nullable(Type.Array(Type.String())),
  enable_status_check: Type.Boolean(),
  status_check_contexts: nullable(Type.Array(Type.String())),
  required_approvals: Type.Integer(),
  enable_approvals_whitelist: Type.Boolean(),
  approvals_whitelist_username: nullable(Type.Array(Type.String())),
  approvals_whitelist_teams: nullable(Type.Array(Type.String())),
  block_on_rejected_reviews: Type.Boolean(),
  block_on_official_review_requests: Type.Boolean(),
  block_on_outdated_branch: Type.Boolean(),
  dismiss_stale_approvals: Type.Boolean(),
  ignore_stale_approvals: Type.Boolean(),
  require_signed_commits: Type.Boolean(),
  protected_file_patterns: Type.String(),
  unprotected_file_patterns: Type.String(),
  apply_to_admins: Type.Boolean(),
  created_at: dateTime(),
  updated_at: dateTime(),
})
export type BranchProtection = Static<typeof BranchProtection>

const settings = {
  enable_push: Type.Optional(Type.Boolean()),
  enable_push_whitelist: Type.Optional(Type.Boolean()),
  push_whitelist_usernames: Type.Optional(Type.Array(Type.String())),
  push_whitelist_teams: Type.Optional(Type.Array(Type.String())),
  push_whitelist_deploy_keys: Type.Optional(Type.Boolean()),
  enable_merge_whitelist: Type.Optional(Type.Boolean()),
  merge_whitelist_usernames: Type.Optional(Type.Array(Type.String())),
  merge_whitelist_teams: Type.Optional(Type.Array(Type.String())),
  enable_status_check: Type.Optional(Type.Boolean()),
  status_check_contexts: Type.Optional(Type.Array(Type.String())),
  required_approvals: Type.Optional(Type.Integer()),
  enable_approvals_whitelist: Type.Optional(Type.Boolean()),
  approvals_whitelist_username: Type.Optional(Type.Array(Type.String())),
  approvals_whitelist_teams: Type.Optional(Type.Array(Type.String())),
  block_on_rejected_reviews: Type.Optional(Type.Boolean()),
  block_on_official_review_requests: Type.Optional(Type.Boolean()),
  block_on_outdated_branch: Type.Optional(Type.Boolean()),
  dismiss_stale_approvals: Type.Optional(Type.Boolean()),
  ignore_stale_approvals: Type.Optional(Type.Boolean()),
  require_signed_commits: Type.Optional(Type.Boolean()),
  protected_file_patterns: Type.Optional(Type.String()),
  unprotected_file_patterns: Type.Optional(Type.String()),
  apply_to_admins: Type.Optional(Type.Boolean()),
} as const

/** Settings of the family that rules here do not have. Its clients send them without a value. */
const unsupported = [
  'priority',
  'block_admin_merge_override',
  'enable_force_push',
  'enable_force_push_allowlist',
  'force_push_allowlist_usernames',
  'force_push_allowlist_teams',
  'force_push_allowlist_deploy_keys',
  'enable_bypass_allowlist',
  'bypass_allowlist_usernames',
  'bypass_allowlist_teams',
]
/** Clients change a rule that they read, and send it whole. */
const readOnly = ['created_at', 'updated_at']

export const CreateBranchProtectionOption = closedObject(
  'CreateBranchProtectionOption',
  { branch_name: Type.Optional(Type.String()), rule_name: Type.Optional(Type.String()), ...settings },
  { ignored: readOnly, ignoredWhenEmpty: unsupported },
)
export type CreateBranchProtectionOption = Static<typeof CreateBranchProtectionOption>

export const EditBranchProtectionOption = closedObject('EditBranchProtectionOption', settings, {
  ignored: [...readOnly, 'branch_name', 'rule_name'],
  ignoredWhenEmpty: unsupported,
})
export type EditBranchProtectionOption = Static<typeof EditBranchProtectionOption>
