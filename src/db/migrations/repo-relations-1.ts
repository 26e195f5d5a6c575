import type { Migration } from './migration.ts'

export const repoRelations1: Migration = {
  name: 'repo-relations-1',
  formerly: '0007-repo-relations',
  statements: [
    `create table repo_transfer (
      repo_id bigint primary key references repo(id) on delete cascade,
      doer_id bigint not null references "user"(id) on delete cascade,
      recipient_id bigint not null references "user"(id) on delete cascade,
      team_ids text not null default '[]',
      created_unix bigint not null
    )`,
    `create index repo_transfer_recipient on repo_transfer (recipient_id)`,
    `create index repo_transfer_doer on repo_transfer (doer_id)`,
    `create table topic (
      id {id},
      name text not null unique,
      repo_count integer not null default 0,
      created_unix bigint not null,
      updated_unix bigint not null
    )`,
    `create table repo_topic (
      repo_id bigint not null references repo(id) on delete cascade,
      topic_id bigint not null references topic(id) on delete cascade,
      primary key (repo_id, topic_id)
    )`,
    `create index repo_topic_topic on repo_topic (topic_id)`,
    `create table repo_flag (
      repo_id bigint not null references repo(id) on delete cascade,
      name text not null,
      primary key (repo_id, name)
    )`,
    `create table deploy_key (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      key_id bigint not null references public_key(id) on delete cascade,
      title text not null,
      is_read_only boolean not null default true,
      created_unix bigint not null,
      unique (repo_id, key_id),
      unique (repo_id, title)
    )`,
    `create index deploy_key_key on deploy_key (key_id)`,
  ],
}
