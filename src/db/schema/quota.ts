import type { AreaSchema } from './area.ts'

/** Quota groups, quota rules and storage usage. */
export const quota: AreaSchema = {
  tables: [
    `create table usage (
      owner_id bigint not null references "user"(id) on delete cascade,
      repo_id bigint references repo(id) on delete cascade,
      kind text not null,
      size_bytes bigint not null
    )`,
    `create table quota_rule (
      id {id},
      name text not null unique,
      limit_bytes bigint not null,
      subjects text not null
    )`,
    `create table quota_group (
      id {id},
      name text not null unique
    )`,
    `create table quota_group_rule (
      group_id bigint not null references quota_group(id) on delete cascade,
      rule_id bigint not null references quota_rule(id) on delete cascade,
      primary key (group_id, rule_id)
    )`,
    `create table quota_group_user (
      user_id bigint not null references "user"(id) on delete cascade,
      group_id bigint not null references quota_group(id) on delete cascade,
      primary key (user_id, group_id)
    )`,
  ],
  indexes: [
    `create unique index usage_repo on usage (repo_id, kind) where repo_id is not null`,
    `create unique index usage_owner on usage (owner_id, kind) where repo_id is null`,
    `create index usage_sum on usage (owner_id, kind, size_bytes)`,
    `create index quota_group_rule_rule on quota_group_rule (rule_id)`,
    `create index quota_group_user_group on quota_group_user (group_id, user_id)`,
  ],
}
