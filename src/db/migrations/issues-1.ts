import type { Migration } from './migration.ts'

/** Longest part of a text that words are found in, in characters; PostgreSQL's index entries have a largest size. */
const indexedCharacters = 200_000

const issueWords = `to_tsvector('simple', title || ' ' || left(content, ${indexedCharacters}))`
const commentWords = `to_tsvector('simple', left(content, ${indexedCharacters}))`

export const issues1: Migration = {
  name: 'issues-1',
  formerly: '0005-issues',
  statements: [
    `create table milestone (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      title text not null,
      content text not null default '',
      is_closed boolean not null default false,
      num_issues integer not null default 0,
      num_closed_issues integer not null default 0,
      due_unix bigint not null default 0,
      closed_unix bigint not null default 0,
      created_unix bigint not null,
      updated_unix bigint not null
    )`,
    `create index milestone_repo on milestone (repo_id)`,
    `create table label (
      id {id},
      repo_id bigint references repo(id) on delete cascade,
      org_id bigint references "user"(id) on delete cascade,
      name text not null,
      description text not null default '',
      color text not null,
      is_exclusive boolean not null default false,
      archived_unix bigint not null default 0,
      num_issues integer not null default 0,
      num_closed_issues integer not null default 0,
      created_unix bigint not null,
      updated_unix bigint not null
    )`,
    `create index label_repo on label (repo_id)`,
    `create index label_org on label (org_id)`,
    `create index label_name on label (name)`,
    `create table issue (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      "index" integer not null,
      is_pull boolean not null default false,
      poster_id bigint not null,
      original_author text not null default '',
      title text not null,
      content text not null,
      content_version integer not null default 0,
      ref text not null default '',
      milestone_id bigint references milestone(id) on delete set null,
      is_closed boolean not null default false,
      is_locked boolean not null default false,
      num_comments integer not null default 0,
      due_unix bigint not null default 0,
      pin_order integer not null default 0,
      created_unix bigint not null,
      updated_unix bigint not null,
      closed_unix bigint not null default 0,
      merged_unix bigint not null default 0,
      unique (repo_id, "index")
    )`,
    `create index issue_list on issue (repo_id, is_closed, created_unix, id)`,
    `create index issue_list_all on issue (repo_id, created_unix, id)`,
    `create index issue_pins on issue (repo_id, is_pull, pin_order) where pin_order > 0`,
    `create index issue_newest on issue (is_closed, created_unix, id)`,
    `create index issue_poster on issue (poster_id)`,
    `create index issue_milestone on issue (milestone_id)`,
    `create table comment (
      id {id},
      issue_id bigint not null references issue(id) on delete cascade,
      type text not null,
      poster_id bigint not null,
      original_author text not null default '',
      content text not null default '',
      content_version integer not null default 0,
      label_id bigint references label(id) on delete cascade,
      milestone_id bigint,
      old_milestone_id bigint,
      assignee_id bigint,
      assignee_team_id bigint,
      removed_assignee boolean not null default false,
      old_title text not null default '',
      new_title text not null default '',
      old_ref text not null default '',
      new_ref text not null default '',
      dependent_issue_id bigint,
      time_id bigint,
      ref_repo_id bigint,
      ref_issue_id bigint references issue(id) on delete cascade,
      ref_comment_id bigint,
      ref_action text not null default 'none',
      commit_sha text not null default '',
      review_id bigint,
      tree_path text not null default '',
      line integer not null default 0,
      patch text not null default '',
      is_invalidated boolean not null default false,
      resolver_id bigint,
      created_unix bigint not null,
      updated_unix bigint not null
    )`,
    `create index comment_issue on comment (issue_id, created_unix, id)`,
    `create index comment_poster on comment (poster_id)`,
    `create index comment_label on comment (label_id) where label_id is not null`,
    `create index comment_ref_issue on comment (ref_issue_id) where ref_issue_id is not null`,
    `create index comment_ref_comment on comment (ref_comment_id) where ref_comment_id is not null`,
    `create index comment_review on comment (review_id) where review_id is not null`,
    `create unique index comment_commit on comment (issue_id, commit_sha) where type = 'commit_ref'`,
    `create table issue_label (
      issue_id bigint not null references issue(id) on delete cascade,
      label_id bigint not null references label(id) on delete cascade,
      primary key (issue_id, label_id)
    )`,
    `create index issue_label_label on issue_label (label_id)`,
    `create table issue_assignee (
      id {id},
      issue_id bigint not null references issue(id) on delete cascade,
      user_id bigint not null references "user"(id) on delete cascade,
      unique (issue_id, user_id)
    )`,
    `create index issue_assignee_user on issue_assignee (user_id)`,
    `create table issue_watch (
      issue_id bigint not null references issue(id) on delete cascade,
      user_id bigint not null references "user"(id) on delete cascade,
      is_watching boolean not null,
      created_unix bigint not null,
      updated_unix bigint not null,
      primary key (issue_id, user_id)
    )`,
    `create index issue_watch_user on issue_watch (user_id)`,
    `create table issue_mention (
      issue_id bigint not null references issue(id) on delete cascade,
      user_id bigint not null references "user"(id) on delete cascade,
      primary key (issue_id, user_id)
    )`,
    `create index issue_mention_user on issue_mention (user_id)`,
    `create table issue_dependency (
      issue_id bigint not null references issue(id) on delete cascade,
      dependency_id bigint not null references issue(id) on delete cascade,
      user_id bigint not null,
      created_unix bigint not null,
      primary key (issue_id, dependency_id)
    )`,
    `create index issue_dependency_dependency on issue_dependency (dependency_id)`,
    `create table reaction (
      id {id},
      issue_id bigint not null references issue(id) on delete cascade,
      comment_id bigint not null default 0,
      user_id bigint not null references "user"(id) on delete cascade,
      content text not null,
      created_unix bigint not null,
      unique (issue_id, comment_id, user_id, content)
    )`,
    `create index reaction_comment on reaction (comment_id)`,
    `create index reaction_user on reaction (user_id)`,
    `create table tracked_time (
      id {id},
      issue_id bigint not null references issue(id) on delete cascade,
      user_id bigint not null references "user"(id) on delete cascade,
      seconds bigint not null,
      is_deleted boolean not null default false,
      created_unix bigint not null
    )`,
    `create index tracked_time_issue on tracked_time (issue_id)`,
    `create index tracked_time_user on tracked_time (user_id)`,
    `create table stopwatch (
      user_id bigint primary key references "user"(id) on delete cascade,
      issue_id bigint not null references issue(id) on delete cascade,
      created_unix bigint not null
    )`,
    `create index stopwatch_issue on stopwatch (issue_id)`,
    `create table content_history (
      id {id},
      issue_id bigint not null references issue(id) on delete cascade,
      comment_id bigint not null default 0,
      poster_id bigint not null,
      content text not null,
      edited_unix bigint not null,
      is_first boolean not null
    )`,
    `create index content_history_issue on content_history (issue_id, comment_id)`,
    `create table attachment (
      id {id},
      uuid text not null unique,
      repo_id bigint not null references repo(id) on delete cascade,
      issue_id bigint references issue(id) on delete cascade,
      comment_id bigint references comment(id) on delete cascade,
      release_id bigint,
      uploader_id bigint not null,
      name text not null,
      size_bytes bigint not null,
      blob_key text not null,
      sha256 text not null default '',
      download_count integer not null default 0,
      external_url text not null default '',
      created_unix bigint not null
    )`,
    `create index attachment_repo on attachment (repo_id)`,
    `create index attachment_issue on attachment (issue_id) where issue_id is not null`,
    `create index attachment_comment on attachment (comment_id) where comment_id is not null`,
    `create index attachment_release on attachment (release_id) where release_id is not null`,

    // Words of titles, texts and comments. Both databases keep these indexes themselves as rows change.
    {
      sqlite: `create virtual table issue_words using fts5(title, content, content='issue', content_rowid='id')`,
      postgres: `create index issue_words on issue using gin ((${issueWords}))`,
    },
    {
      sqlite: `create virtual table comment_words using fts5(content, content='comment', content_rowid='id')`,
      postgres: `create index comment_words on comment using gin ((${commentWords})) where type in ('comment', 'code', 'review')`,
    },
    {
      sqlite: `create trigger issue_words_insert after insert on issue begin
        insert into issue_words (rowid, title, content) values (new.id, new.title, new.content);
      end`,
      postgres: '',
    },
    {
      sqlite: `create trigger issue_words_delete after delete on issue begin
        insert into issue_words (issue_words, rowid, title, content) values ('delete', old.id, old.title, old.content);
      end`,
      postgres: '',
    },
    {
      sqlite: `create trigger issue_words_update after update of title, content on issue begin
        insert into issue_words (issue_words, rowid, title, content) values ('delete', old.id, old.title, old.content);
        insert into issue_words (rowid, title, content) values (new.id, new.title, new.content);
      end`,
      postgres: '',
    },
    {
      sqlite: `create trigger comment_words_insert after insert on comment
        when new.type in ('comment', 'code', 'review') begin
        insert into comment_words (rowid, content) values (new.id, new.content);
      end`,
      postgres: '',
    },
    {
      sqlite: `create trigger comment_words_delete after delete on comment
        when old.type in ('comment', 'code', 'review') begin
        insert into comment_words (comment_words, rowid, content) values ('delete', old.id, old.content);
      end`,
      postgres: '',
    },
    {
      sqlite: `create trigger comment_words_update after update of content on comment
        when old.type in ('comment', 'code', 'review') begin
        insert into comment_words (comment_words, rowid, content) values ('delete', old.id, old.content);
        insert into comment_words (rowid, content) values (new.id, new.content);
      end`,
      postgres: '',
    },
  ],
}
