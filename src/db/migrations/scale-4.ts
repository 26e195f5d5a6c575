import type { Migration } from './migration.ts'

const sqlite = (text: string) => ({ sqlite: text, postgres: '' })
const postgres = (text: string) => ({ sqlite: '', postgres: text })

/** Tracked times know their repository, as comments do (`scale-1`), and have an index for each of their lists. */
export const scale4: Migration = {
  name: 'scale-4',
  statements: [
    `alter table tracked_time add column repo_id bigint`,
    `alter table tracked_time add column is_of_pull boolean`,
    `update tracked_time set repo_id = issue.repo_id, is_of_pull = issue.is_pull from issue
      where issue.id = tracked_time.issue_id`,
    sqlite(`create trigger tracked_time_place_insert after insert on tracked_time begin
      update tracked_time set (repo_id, is_of_pull) = (select repo_id, is_pull from issue where id = new.issue_id)
        where id = new.id;
    end`),
    postgres(`create function place_tracked_time() returns trigger language plpgsql as $$ begin
        select repo_id, is_pull into new.repo_id, new.is_of_pull from issue where id = new.issue_id; return new;
      end $$`),
    postgres(`create trigger tracked_time_place before insert on tracked_time
      for each row execute function place_tracked_time()`),
    `drop index tracked_time_issue`,
    `create index tracked_time_issue on tracked_time (issue_id, is_deleted, id, user_id, created_unix)`,
    `create index tracked_time_repo on tracked_time (repo_id, is_deleted, id, user_id, created_unix)`,
    `create index tracked_time_repo_user on tracked_time (repo_id, user_id, is_deleted, id, created_unix)`,
    `drop index tracked_time_user`,
    `create index tracked_time_user on tracked_time (user_id, is_deleted, id, repo_id, is_of_pull, created_unix)`,
    `create index tracked_time_user_repo on tracked_time (user_id, is_deleted, repo_id, is_of_pull, created_unix)`,
  ],
}
