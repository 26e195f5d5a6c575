import type { Insertable, Selectable, Updateable } from 'kysely'
import type { BranchRuleId, RepoId, TagRuleId } from '../../lib/ids.ts'
import { bigint, flag, id, integer, nullable, ref, table, text, unix, type TablesOf } from '../table.ts'

export const gitDataTables = {
  /** A branch protection rule, for one name or for a pattern. Lists are JSON. */
  branch_rule: table(
    {
      id: id<BranchRuleId>(),
      repo_id: ref<RepoId>('repo', 'cascade'),
      rule_name: text(),
      enable_push: flag(),
      enable_push_whitelist: flag(),
      /** JSON list of account ids; ids of deleted accounts have no effect. */
      push_user_ids: text(),
      /** JSON list of team ids. */
      push_team_ids: text(),
      push_deploy_keys: flag(),
      enable_merge_whitelist: flag(),
      merge_user_ids: text(),
      merge_team_ids: text(),
      enable_status_check: flag(),
      /** JSON list of patterns of status contexts; null when none were given. */
      status_check_contexts: nullable(text()),
      required_approvals: integer(),
      enable_approvals_whitelist: flag(),
      approvals_user_ids: text(),
      approvals_team_ids: text(),
      block_on_rejected_reviews: flag(),
      block_on_official_review_requests: flag(),
      block_on_outdated_branch: flag(),
      dismiss_stale_approvals: flag(),
      ignore_stale_approvals: flag(),
      require_signed_commits: flag(),
      protected_file_patterns: text(),
      unprotected_file_patterns: text(),
      apply_to_admins: flag(),
      created_unix: unix(),
      updated_unix: unix(),
    },
    { unique: [['repo_id', 'rule_name']] },
  ),

  /** A tag protection rule: lists who may create, move and delete the matching tags. */
  tag_rule: table(
    {
      id: id<TagRuleId>(),
      repo_id: ref<RepoId>('repo', 'cascade'),
      name_pattern: text(),
      /** JSON lists of ids. */
      user_ids: text(),
      team_ids: text(),
      created_unix: unix(),
      updated_unix: unix(),
    },
    { indexes: { tag_rule_repo: '(repo_id)' } },
  ),

  /** Former names of renamed branches. */
  branch_rename: table(
    {
      repo_id: ref<RepoId>('repo', 'cascade'),
      old_name: text(),
      new_name: text(),
      created_unix: unix(),
    },
    { primaryKey: ['repo_id', 'old_name'] },
  ),

  /** Bytes per language in the default branch. */
  repo_language: table(
    {
      repo_id: ref<RepoId>('repo', 'cascade'),
      language: text(),
      size_bytes: bigint(),
    },
    { primaryKey: ['repo_id', 'language'] },
  ),

  /** Download counts of a tag's archives. */
  archive_download: table(
    {
      repo_id: ref<RepoId>('repo', 'cascade'),
      tag_name: text(),
      format: text(),
      count: bigint(),
    },
    { primaryKey: ['repo_id', 'tag_name', 'format'] },
  ),
}

export type GitDataTables = TablesOf<typeof gitDataTables>
export type BranchRuleRow = Selectable<GitDataTables['branch_rule']>
export type NewBranchRuleRow = Insertable<GitDataTables['branch_rule']>
export type BranchRuleChange = Updateable<GitDataTables['branch_rule']>
export type TagRuleRow = Selectable<GitDataTables['tag_rule']>
export type NewTagRuleRow = Insertable<GitDataTables['tag_rule']>
export type TagRuleChange = Updateable<GitDataTables['tag_rule']>
