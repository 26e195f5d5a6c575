import type { Migration } from './migration.ts'

/** Rules about what accounts may store, groups of rules, and who is judged by them. */
export const quota2: Migration = {
  name: 'quota-2',
  statements: [
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
    `create index quota_group_rule_rule on quota_group_rule (rule_id)`,
    `create table quota_group_user (
      user_id bigint not null references "user"(id) on delete cascade,
      group_id bigint not null references quota_group(id) on delete cascade,
      primary key (user_id, group_id)
    )`,
    `create index quota_group_user_group on quota_group_user (group_id, user_id)`,
    // What an owner stores is listed the largest first, out of the index alone until the page is known.
    `create index attachment_size on attachment (repo_id, size_bytes, id)`,
  ],
}
