import type { Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { BranchRuleId, RepoId, TagRuleId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** A branch protection rule, for one name or for a pattern. Lists are JSON. */
export interface BranchRuleTable {
  id: Generated<BranchRuleId>
  repo_id: RepoId
  rule_name: string
  enable_push: boolean
  enable_push_whitelist: boolean
  /** JSON list of account ids; ids of deleted accounts have no effect. */
  push_user_ids: string
  /** JSON list of team ids. */
  push_team_ids: string
  push_deploy_keys: boolean
  enable_merge_whitelist: boolean
  merge_user_ids: string
  merge_team_ids: string
  enable_status_check: boolean
  /** JSON list of patterns of status contexts; null when none were given. */
  status_check_contexts: string | null
  required_approvals: number
  enable_approvals_whitelist: boolean
  approvals_user_ids: string
  approvals_team_ids: string
  block_on_rejected_reviews: boolean
  block_on_official_review_requests: boolean
  block_on_outdated_branch: boolean
  dismiss_stale_approvals: boolean
  ignore_stale_approvals: boolean
  require_signed_commits: boolean
  protected_file_patterns: string
  unprotected_file_patterns: string
  apply_to_admins: boolean
  created_unix: Unix
  updated_unix: Unix
}

/** A tag protection rule: lists who may create, move and delete the matching tags. */
export interface TagRuleTable {
  id: Generated<TagRuleId>
  repo_id: RepoId
  name_pattern: string
  /** JSON lists of ids. */
  user_ids: string
  team_ids: string
  created_unix: Unix
  updated_unix: Unix
}

/** Former names of renamed branches. */
export interface BranchRenameTable {
  repo_id: RepoId
  old_name: string
  new_name: string
  created_unix: Unix
}

/** Bytes per language in the default branch. */
export interface RepoLanguageTable {
  repo_id: RepoId
  language: string
  size_bytes: number
}

/** Download counts of a tag's archives. */
export interface ArchiveDownloadTable {
  repo_id: RepoId
  tag_name: string
  format: string
  count: number
}

export interface GitDataTables {
  branch_rule: BranchRuleTable
  tag_rule: TagRuleTable
  branch_rename: BranchRenameTable
  repo_language: RepoLanguageTable
  archive_download: ArchiveDownloadTable
}

export type BranchRuleRow = Selectable<BranchRuleTable>
export type NewBranchRuleRow = Insertable<BranchRuleTable>
export type BranchRuleChange = Updateable<BranchRuleTable>
export type TagRuleRow = Selectable<TagRuleTable>
export type NewTagRuleRow = Insertable<TagRuleTable>
export type TagRuleChange = Updateable<TagRuleTable>
