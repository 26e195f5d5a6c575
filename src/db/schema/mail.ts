import type { AreaSchema } from './area.ts'

/** The mail outbox, and the progress through the recipients of each event. */
export const mail: AreaSchema = {
  tables: [
    `create table mail_queue (
      id {id},
      event_id bigint not null references event(id) on delete cascade,
      user_id bigint not null references "user"(id) on delete cascade,
      is_named boolean not null,
      is_last boolean not null,
      unique (event_id, user_id)
    )`,
    `create table mailed_event (
      event_id bigint primary key references event(id) on delete cascade,
      last_user_id bigint not null
    )`,
    `create table mail_count (
      user_id bigint primary key references "user"(id) on delete cascade,
      hour bigint not null,
      count integer not null
    )`,
    `create table incoming_mail (
      key text primary key,
      user_id bigint not null references "user"(id) on delete cascade,
      issue_id bigint not null,
      taken_ms bigint not null
    )`,
  ],
  indexes: [
    `create index mail_queue_user on mail_queue (user_id)`,
    `create index incoming_mail_user on incoming_mail (user_id, taken_ms)`,
    `create index incoming_mail_age on incoming_mail (taken_ms)`,
  ],
}
