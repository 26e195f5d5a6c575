import type { Migration } from './migration.ts'

/** What people here wrote in repositories of other servers, and what became of it. */
export const federation3: Migration = {
  name: 'federation-3',
  statements: [
    `create table sent_writing (
      id {id},
      user_id bigint not null references "user"(id) on delete cascade,
      object_url text not null unique,
      repository_url text not null,
      title text not null,
      result_url text not null default '',
      created_unix bigint not null
    )`,
    `create index sent_writing_user on sent_writing (user_id, id)`,
  ],
}
