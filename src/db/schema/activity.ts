import type { AreaSchema } from './area.ts'

/** The activity feed. */
export const activity: AreaSchema = {
  tables: [
    `create table activity (
      id {id},
      actor_id bigint not null references "user"(id) on delete cascade,
      repo_id bigint not null references repo(id) on delete cascade,
      owner_id bigint not null,
      kind text not null,
      unit text not null,
      issue_id bigint references issue(id) on delete cascade,
      comment_id bigint references comment(id) on delete cascade,
      release_id bigint references "release"(id) on delete cascade,
      ref_name text not null,
      content text not null,
      created_unix bigint not null,
      event_id bigint,
      ordinal integer not null
    )`,
  ],
  indexes: [
    `create index activity_actor on activity (actor_id, created_unix, id, repo_id, unit, owner_id)`,
    `create index activity_owner on activity (owner_id, created_unix, id, repo_id, unit, actor_id)`,
    `create index activity_repo on activity (repo_id, created_unix, id, unit, actor_id)`,
    `create index activity_issue on activity (issue_id) where issue_id is not null`,
    `create index activity_comment on activity (comment_id) where comment_id is not null`,
    `create index activity_release on activity (release_id) where release_id is not null`,
    `create index activity_time on activity (created_unix)`,
    `create unique index activity_event on activity (event_id, ordinal) where event_id is not null`,
    `create index activity_actor_repo on activity (actor_id, repo_id)`,
    `create index activity_owner_repo on activity (owner_id, repo_id)`,
  ],
}
