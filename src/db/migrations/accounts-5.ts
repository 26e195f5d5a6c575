import type { Migration } from './migration.ts'

/** Sessions say where they are, and may be taken up again by a browser that stays signed in. */
export const accounts5: Migration = {
  name: 'accounts-5',
  statements: [
    `alter table session add column address text not null default ''`,
    `alter table session add column client text not null default ''`,
    `alter table session add column used_unix bigint not null default 0`,
    `alter table session add column remember_hash text`,
    `alter table session add column former_hash text`,
    `alter table session add column renewed_unix bigint not null default 0`,
    `alter table session add column remember_until_unix bigint not null default 0`,
    `update session set used_unix = created_unix`,
    `create unique index session_remember on session (remember_hash)`,
    `create index session_former on session (former_hash)`,
    `create index session_of_user on session (user_id, id)`,
  ],
}
