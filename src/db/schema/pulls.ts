import type { AreaSchema } from './area.ts'
import { settleRequests } from './review-requests.ts'

/** Pull requests and reviews. */
export const pulls: AreaSchema = {
  tables: [
    `create table pull (
      id {id},
      issue_id bigint not null unique references issue(id) on delete cascade,
      repo_id bigint not null references repo(id) on delete cascade,
      "index" integer not null,
      base_branch text not null,
      head_repo_id bigint,
      head_branch text not null,
      flow integer not null default 0,
      head_oid text not null,
      synced_oid text not null,
      merge_base text not null,
      check_state text not null,
      check_version integer not null default 0,
      additions integer not null default 0,
      deletions integer not null default 0,
      changed_files integer not null default 0,
      allow_maintainer_edit boolean not null default false,
      is_merged boolean not null default false,
      merge_oid text not null default '',
      merger_id bigint,
      merged_unix bigint not null default 0,
      num_reviews integer not null default 0
    )`,
    `create table scheduled_merge (
      pull_id bigint primary key references pull(id) on delete cascade,
      doer_id bigint not null references "user"(id) on delete cascade,
      style text not null,
      title text not null,
      message text not null,
      deletes_branch boolean not null,
      created_unix bigint not null
    )`,
    `create table viewed_file (
      pull_id bigint not null references pull(id) on delete cascade,
      user_id bigint not null references "user"(id) on delete cascade,
      path text not null,
      content_oid text not null,
      primary key (pull_id, user_id, path)
    )`,
    `create table review (
      id {id},
      issue_id bigint not null references issue(id) on delete cascade,
      type text not null,
      reviewer_id bigint,
      reviewer_team_id bigint references team(id) on delete cascade,
      content text not null default '',
      is_official boolean not null default false,
      commit_oid text not null default '',
      is_stale boolean not null default false,
      is_dismissed boolean not null default false,
      created_unix bigint not null,
      updated_unix bigint not null,
      original_author text not null default '',
      repo_id bigint,
      is_of_closed boolean,
      pull_created_unix bigint,
      is_waiting boolean not null default false
    )`,
  ],
  indexes: [
    `create index pull_base on pull (repo_id, base_branch)`,
    `create index pull_head on pull (head_repo_id, head_branch)`,
    `create index pull_merge_oid on pull (repo_id, merge_oid) where merge_oid <> ''`,
    `create index scheduled_merge_doer on scheduled_merge (doer_id)`,
    `create index viewed_file_user on viewed_file (user_id)`,
    `create index review_issue on review (issue_id, id)`,
    `create index review_reviewer on review (reviewer_id)`,
    `create index review_team on review (reviewer_team_id) where reviewer_team_id is not null`,
    `create unique index review_pending on review (issue_id, reviewer_id) where type = 'pending'`,
    `create unique index review_request on review (issue_id, reviewer_id) where type = 'request'`,
    `create unique index review_team_request on review (issue_id, reviewer_team_id) where type = 'request'`,
    `create index review_asked on review (reviewer_id, is_of_closed, pull_created_unix, issue_id, repo_id)
      where is_waiting`,
    `create index review_team_asked on review (reviewer_team_id, is_of_closed, pull_created_unix, issue_id, repo_id)
      where is_waiting`,
  ],
  sqlite: [
    `create trigger review_asked_insert after insert on review when new.type in ('request', 'approve', 'reject') begin
      ${settleRequests('new.issue_id')}
    end`,
    `create trigger review_asked_update after update of type, reviewer_id on review
      when (old.type in ('request', 'approve', 'reject') or new.type in ('request', 'approve', 'reject'))
      and (old.type <> new.type or old.reviewer_id is distinct from new.reviewer_id) begin
      ${settleRequests('new.issue_id')}
    end`,
    `create trigger review_asked_delete after delete on review when old.type in ('request', 'approve', 'reject') begin
      ${settleRequests('old.issue_id')}
    end`,
  ],
  postgres: [
    `create function settle_requests() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        perform 1 from issue where id = old.issue_id for no key update;
        ${settleRequests('old.issue_id')}
      else
        perform 1 from issue where id = new.issue_id for no key update;
        ${settleRequests('new.issue_id')}
      end if;
      return null;
    end $$`,
    `create trigger review_asked_insert after insert on review for each row
      when (new.type in ('request', 'approve', 'reject')) execute function settle_requests()`,
    `create trigger review_asked_update after update of type, reviewer_id on review for each row
      when ((old.type in ('request', 'approve', 'reject') or new.type in ('request', 'approve', 'reject'))
      and (old.type <> new.type or old.reviewer_id is distinct from new.reviewer_id))
      execute function settle_requests()`,
    `create trigger review_asked_delete after delete on review for each row
      when (old.type in ('request', 'approve', 'reject')) execute function settle_requests()`,
  ],
}
