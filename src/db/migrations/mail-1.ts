import type { Migration } from './migration.ts'

export const mail1: Migration = {
  name: 'mail-1',
  statements: [
    `create table mail_queue (
      id {id},
      event_id bigint not null references event(id) on delete cascade,
      user_id bigint not null references "user"(id) on delete cascade,
      is_named boolean not null,
      is_last boolean not null,
      unique (event_id, user_id)
    )`,
    `create index mail_queue_user on mail_queue (user_id)`,
    `create table mailed_event (
      event_id bigint primary key references event(id) on delete cascade,
      last_user_id bigint not null
    )`,
    `create table mail_count (
      user_id bigint primary key references "user"(id) on delete cascade,
      hour bigint not null,
      count integer not null
    )`,
  ],
}
