import type { AreaSchema } from './area.ts'

/** Actors of other servers, follows, likes, and deliveries to inboxes. */
export const federation: AreaSchema = {
  tables: [
    `create table actor_key (
      id {id},
      actor text not null unique,
      user_id bigint references "user"(id) on delete cascade,
      public_key text not null,
      sealed_private_key text not null,
      created_unix bigint not null
    )`,
    `create table federated_server (
      id {id},
      origin text not null unique,
      software text not null default '',
      latest_like_ms bigint not null default 0,
      key_id text unique,
      public_key text not null default '',
      key_fetched_unix bigint not null default 0,
      signature_form text not null default 'cavage',
      failures integer not null default 0,
      retry_at_ms bigint not null default 0,
      problem text not null default '',
      created_unix bigint not null,
      latest_sent_ms bigint not null default 0
    )`,
    `create table federated_account (
      user_id bigint primary key references "user"(id) on delete cascade,
      server_id bigint not null references federated_server(id),
      actor_url text not null unique,
      inbox_url text not null,
      shared_inbox_url text not null,
      page_url text not null,
      key_id text not null unique,
      public_key text not null,
      fetched_unix bigint not null
    )`,
    `create table seen_signature (
      digest text primary key,
      expires_unix bigint not null
    )`,
    `create table federated_follow (
      follower_id bigint not null references "user"(id) on delete cascade,
      user_id bigint not null references "user"(id) on delete cascade,
      activity_url text not null,
      is_accepted boolean not null,
      primary key (follower_id, user_id)
    )`,
    `create table followed_repo (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      server_id bigint not null references federated_server(id),
      url text not null,
      inbox_url text not null,
      created_unix bigint not null,
      unique (repo_id, url)
    )`,
    `create table activity_delivery (
      id {id},
      server_id bigint not null references federated_server(id) on delete cascade,
      inbox_url text not null,
      sender_id bigint references "user"(id) on delete cascade,
      body text not null,
      created_ms bigint not null,
      attempts integer not null default 0,
      next_ms bigint not null default 0
    )`,
    `create table received_activity (
      id {id},
      actor_id bigint not null references "user"(id) on delete cascade,
      activity_url text not null,
      type text not null,
      addressee_id bigint references "user"(id) on delete cascade,
      object_url text not null,
      object_type text not null,
      title text not null,
      content text not null,
      page_url text not null,
      published_unix bigint not null,
      received_unix bigint not null,
      unique (actor_id, activity_url)
    )`,
    `create table told_act (
      activity_id bigint primary key references activity(id) on delete cascade,
      told_unix bigint not null
    )`,
    `create table federated_writing (
      object_url text primary key,
      actor_id bigint not null references "user"(id) on delete cascade,
      issue_id bigint not null references issue(id) on delete cascade,
      comment_id bigint references comment(id) on delete cascade
    )`,
    `create table sent_writing (
      id {id},
      user_id bigint not null references "user"(id) on delete cascade,
      object_url text not null unique,
      repository_url text not null,
      title text not null,
      result_url text not null default '',
      created_unix bigint not null
    )`,
  ],
  indexes: [
    `create index actor_key_user on actor_key (user_id)`,
    `create index federated_account_server on federated_account (server_id)`,
    `create index seen_signature_age on seen_signature (expires_unix)`,
    `create index federated_follow_user on federated_follow (user_id)`,
    `create index followed_repo_server on followed_repo (server_id)`,
    `create index activity_delivery_line on activity_delivery (server_id, id)`,
    `create index activity_delivery_sender on activity_delivery (sender_id)`,
    `create index received_activity_actor on received_activity (actor_id, id)`,
    `create index received_activity_addressee on received_activity (addressee_id, id) where addressee_id is not null`,
    `create index received_activity_age on received_activity (received_unix)`,
    `create index federated_writing_issue on federated_writing (issue_id)`,
    `create index federated_writing_comment on federated_writing (comment_id)`,
    `create index federated_writing_actor on federated_writing (actor_id)`,
    `create index sent_writing_user on sent_writing (user_id, id)`,
  ],
}
