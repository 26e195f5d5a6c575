import type { AreaSchema } from './area.ts'

/** Webhooks and their deliveries. */
export const webhooks: AreaSchema = {
  tables: [
    `create table webhook (
      id {id},
      level text not null,
      owner_id bigint references "user"(id) on delete cascade,
      repo_id bigint references repo(id) on delete cascade,
      type text not null,
      url text not null,
      content_type text not null,
      events text not null,
      branch_filter text not null,
      metadata text not null,
      sealed_secret text not null,
      sealed_authorization text not null,
      is_active boolean not null,
      created_unix bigint not null,
      updated_unix bigint not null,
      failures integer not null default 0,
      retry_at_ms bigint not null default 0,
      paused_unix bigint not null default 0,
      problem text not null default ''
    )`,
    `create table webhook_payload (
      id {id},
      event_id bigint,
      data text not null,
      pending text,
      created_ms bigint not null
    )`,
    `create table webhook_delivery (
      id {id},
      hook_id bigint not null references webhook(id) on delete cascade,
      payload_id bigint not null references webhook_payload(id),
      uuid text not null,
      event text not null,
      event_type text not null,
      state text not null,
      attempts integer not null default 0,
      failures integer not null default 0,
      created_ms bigint not null,
      waits_from_ms bigint not null,
      next_ms bigint not null default 0,
      status integer,
      problem text not null default ''
    )`,
    `create table webhook_attempt (
      id {id},
      delivery_id bigint not null references webhook_delivery(id) on delete cascade,
      sent_ms bigint not null,
      duration_ms integer not null,
      status integer,
      problem text not null,
      request text not null,
      response text
    )`,
  ],
  indexes: [
    `create index webhook_repo on webhook (repo_id, id) where repo_id is not null`,
    `create index webhook_owner on webhook (owner_id, id) where owner_id is not null`,
    `create index webhook_instance on webhook (level, id) where repo_id is null and owner_id is null`,
    `create index webhook_attempt_list on webhook_attempt (delivery_id, id)`,
    `create index webhook_delivery_list on webhook_delivery (hook_id, id)`,
    `create index webhook_delivery_line on webhook_delivery (hook_id, id) where state = 'waiting'`,
    `create index webhook_delivery_due on webhook_delivery (hook_id, next_ms) where state = 'waiting'`,
    `create index webhook_delivery_payload on webhook_delivery (payload_id)`,
    `create index webhook_delivery_age on webhook_delivery (created_ms) where state <> 'waiting'`,
  ],
}
