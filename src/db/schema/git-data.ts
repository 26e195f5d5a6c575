import type { AreaSchema } from './area.ts'

/** Branch and tag protection, statistics and other data about git repositories. */
export const gitData: AreaSchema = {
  tables: [
    `create table branch_rule (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      rule_name text not null,
      enable_push boolean not null,
      enable_push_whitelist boolean not null,
      push_user_ids text not null,
      push_team_ids text not null,
      push_deploy_keys boolean not null,
      enable_merge_whitelist boolean not null,
      merge_user_ids text not null,
      merge_team_ids text not null,
      enable_status_check boolean not null,
      status_check_contexts text,
      required_approvals integer not null,
      enable_approvals_whitelist boolean not null,
      approvals_user_ids text not null,
      approvals_team_ids text not null,
      block_on_rejected_reviews boolean not null,
      block_on_official_review_requests boolean not null,
      block_on_outdated_branch boolean not null,
      dismiss_stale_approvals boolean not null,
      ignore_stale_approvals boolean not null,
      require_signed_commits boolean not null,
      protected_file_patterns text not null,
      unprotected_file_patterns text not null,
      apply_to_admins boolean not null,
      created_unix bigint not null,
      updated_unix bigint not null,
      unique (repo_id, rule_name)
    )`,
    `create table tag_rule (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      name_pattern text not null,
      user_ids text not null,
      team_ids text not null,
      created_unix bigint not null,
      updated_unix bigint not null
    )`,
    `create table branch_rename (
      repo_id bigint not null references repo(id) on delete cascade,
      old_name text not null,
      new_name text not null,
      created_unix bigint not null,
      primary key (repo_id, old_name)
    )`,
    `create table repo_language (
      repo_id bigint not null references repo(id) on delete cascade,
      language text not null,
      size_bytes bigint not null,
      primary key (repo_id, language)
    )`,
    `create table archive_download (
      repo_id bigint not null references repo(id) on delete cascade,
      tag_name text not null,
      format text not null,
      count bigint not null,
      primary key (repo_id, tag_name, format)
    )`,
  ],
  indexes: [`create index tag_rule_repo on tag_rule (repo_id)`],
}
