import type { Migration } from './migration.ts'

export const notifications1: Migration = {
  name: 'notifications-1',
  statements: [
    `create table notification (
      id {id},
      user_id bigint not null references "user"(id) on delete cascade,
      repo_id bigint not null references repo(id) on delete cascade,
      issue_id bigint references issue(id) on delete cascade,
      subject text not null,
      status text not null,
      created_unix bigint not null,
      updated_ms bigint not null
    )`,
    // Both also find what goes with an issue or a repository.
    `create unique index notification_issue on notification (issue_id, user_id) where issue_id is not null`,
    `create unique index notification_repo on notification (repo_id, user_id) where issue_id is null`,
    `create index notification_repo_all on notification (repo_id)`,
    `create index notification_list on notification (user_id, updated_ms, id)`,
    `create index notification_status on notification (user_id, status, updated_ms, id, repo_id, subject)`,
    `create table notified_event (
      event_id bigint primary key references event(id) on delete cascade,
      last_user_id bigint not null
    )`,
  ],
}
