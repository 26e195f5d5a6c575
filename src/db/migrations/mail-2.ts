import type { Migration } from './migration.ts'

export const mail2: Migration = {
  name: 'mail-2',
  statements: [
    `create table incoming_mail (
      key text primary key,
      user_id bigint not null references "user"(id) on delete cascade,
      issue_id bigint not null,
      taken_ms bigint not null
    )`,
    `create index incoming_mail_user on incoming_mail (user_id, taken_ms)`,
    `create index incoming_mail_age on incoming_mail (taken_ms)`,
  ],
}
