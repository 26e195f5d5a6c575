import type { AreaSchema } from './area.ts'
import { settleRequests } from './review-requests.ts'
import { countIssueRevision, rowRevisions } from './row-revisions.ts'

/** SQLite triggers that copy columns of the issue into the rows of a child table. */
const copyIssueColumns = (table: string, column: string): readonly string[] =>
  ['insert', 'update of issue_id'].map(
    (change) => `create trigger ${table}_place_${change.split(' ', 1)[0]} after ${change} on ${table} begin
      update ${table} set (repo_id, is_pull, is_closed, created_unix) =
        (select repo_id, is_pull, is_closed, created_unix from issue where id = new.issue_id)
        where issue_id = new.issue_id and ${column} = new.${column};
    end`,
  )

const milestoneDue = `(select due_unix from milestone where id = new.milestone_id)`
/**
 * A statement for SQLite triggers: `listed_due_unix` is the earlier due date of the issue and its milestone. 0 means no
 * date.
 */
const setListedDue = `update issue set listed_due_unix = case
        when coalesce(${milestoneDue}, 0) = 0 then new.due_unix
        when new.due_unix = 0 or ${milestoneDue} < new.due_unix then ${milestoneDue}
        else new.due_unix end where id = new.id;`

/** Text that is indexed on SQLite, for a row of `issue` or `comment`. */
const indexed = (row: string): string => `${row}.content || ' ' || ${row}.further_words`

/** The punctuation of ASCII. PostgreSQL would read `a.b`, `a/b` and `a@b` as one word. */
const punctuation = "!\"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~"

/** Marks and symbols outside of ASCII, which are letters for PostgreSQL in some locales. */
const signs =
  '[\\u00a0-\\u00a9\\u00ab-\\u00b1\\u00b4\\u00b6-\\u00b8\\u00bb\\u00bf\\u00d7\\u00f7\\u2000-\\u206f\\u20a0-\\u20cf' +
  '\\u2190-\\u2bff\\u3000-\\u3004\\u3008-\\u3020\\ufe00-\\ufe6f\\uff01-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65' +
  '\\U0001F000-\\U0001FAFF]+'

/** The full-text index of an issue or a comment on PostgreSQL. */
const issueWords = (row: string): string =>
  `words_of(${row}.title || ' ' || left(${row}.content, 200000) || ' ' || ${row}.further_words)
          || array_to_tsvector(array['~r' || (${row}.repo_id)::text, '~k' || (${row}.is_pull)::int::text])`
const commentWords = (row: string): string =>
  `words_of(left(${row}.content, 200000) || ' ' || ${row}.further_words) ||
          array_to_tsvector(array['~r' || (${row}.repo_id)::text, '~k' || (${row}.is_of_pull)::int::text])`

/** Issues, comments, labels, milestones and the full-text index. */
export const issues: AreaSchema = {
  tables: [
    {
      sqlite: `create virtual table issue_words using fts5(title, content, place, content='issue_text', content_rowid='id')`,
      postgres: `create table issue_words (
        rowid bigint primary key,
        words tsvector not null
      )`,
    },
    {
      sqlite: `create virtual table comment_words using fts5(content, place, content='comment_text', content_rowid='id')`,
      postgres: `create table comment_words (
        rowid bigint primary key,
        words tsvector not null
      )`,
    },
  ],
  sqlite: [
    `create view issue_text as select id, title, ${indexed('issue')} as content, 'r' || repo_id || ' k' || is_pull as place
      from issue`,
    `create view comment_text as select id, ${indexed('comment')} as content, 'r' || repo_id || ' k' || is_of_pull as place
      from comment where type in ('comment', 'code', 'review')`,
    ...rowRevisions('label'),
    ...rowRevisions('milestone'),
    ...rowRevisions('issue'),
    `create trigger issue_label_revision_insert after insert on issue_label begin
      ${countIssueRevision('new')}
    end`,
    `create trigger issue_label_revision_delete after delete on issue_label begin
      ${countIssueRevision('old')}
    end`,
    `create trigger issue_assignee_revision_insert after insert on issue_assignee begin
      ${countIssueRevision('new')}
    end`,
    `create trigger issue_assignee_revision_delete after delete on issue_assignee begin
      ${countIssueRevision('old')}
    end`,
    `create trigger attachment_revision_insert after insert on attachment begin
      ${countIssueRevision('new')}
    end`,
    `create trigger attachment_revision_update after update on attachment begin
      ${countIssueRevision('old')}
      ${countIssueRevision('new')}
    end`,
    `create trigger attachment_revision_delete after delete on attachment begin
      ${countIssueRevision('old')}
    end`,
    `create trigger issue_due_insert after insert on issue when new.due_unix <> 0 or new.milestone_id is not null begin
      ${setListedDue}
    end`,
    `create trigger issue_due_update after update of due_unix, milestone_id on issue
      when old.due_unix <> new.due_unix or old.milestone_id is not new.milestone_id begin
      ${setListedDue}
    end`,
    `create trigger milestone_due_update after update of due_unix on milestone when old.due_unix <> new.due_unix begin
      update issue set listed_due_unix = case when coalesce(new.due_unix, 0) = 0 then due_unix when due_unix = 0
        or new.due_unix < due_unix then new.due_unix else due_unix end where milestone_id = new.id;
    end`,
    `create trigger comment_place_insert after insert on comment when new.type in ('comment', 'code', 'review') begin
      update comment set (repo_id, is_of_pull) = (select repo_id, is_pull from issue where id = new.issue_id)
        where id = new.id;
    end`,
    `create trigger issue_words_insert after insert on issue begin
      insert into issue_words (rowid, title, content, place)
        values (new.id, new.title, ${indexed('new')}, 'r' || new.repo_id || ' k' || new.is_pull);
    end`,
    `create trigger issue_words_delete after delete on issue begin
      insert into issue_words (issue_words, rowid, title, content, place)
        values ('delete', old.id, old.title, ${indexed('old')}, 'r' || old.repo_id || ' k' || old.is_pull);
    end`,
    `create trigger issue_words_update after update of title, content, further_words on issue begin
      insert into issue_words (issue_words, rowid, title, content, place)
        values ('delete', old.id, old.title, ${indexed('old')}, 'r' || old.repo_id || ' k' || old.is_pull);
      insert into issue_words (rowid, title, content, place)
        values (new.id, new.title, ${indexed('new')}, 'r' || new.repo_id || ' k' || new.is_pull);
    end`,
    `create trigger comment_words_insert after insert on comment when new.type in ('comment', 'code', 'review') begin
      insert into comment_words (rowid, content, place)
        values (new.id, ${indexed('new')}, (select 'r' || repo_id || ' k' || is_pull from issue where id = new.issue_id));
    end`,
    `create trigger comment_words_delete after delete on comment when old.type in ('comment', 'code', 'review') begin
      insert into comment_words (comment_words, rowid, content, place)
        values ('delete', old.id, ${indexed('old')}, 'r' || old.repo_id || ' k' || old.is_of_pull);
    end`,
    `create trigger comment_words_update after update of content, further_words on comment
      when old.type in ('comment', 'code', 'review') begin
      insert into comment_words (comment_words, rowid, content, place)
        values ('delete', old.id, ${indexed('old')}, 'r' || old.repo_id || ' k' || old.is_of_pull);
      insert into comment_words (rowid, content, place)
        values (new.id, ${indexed('new')}, (select 'r' || repo_id || ' k' || is_pull from issue where id = new.issue_id));
    end`,
    `create trigger tracked_time_place_insert after insert on tracked_time begin
      update tracked_time set (repo_id, is_of_pull) = (select repo_id, is_pull from issue
        where id = new.issue_id) where id = new.id;
    end`,
    `create trigger issue_label_revision_update after update of issue_id, label_id on issue_label begin
      ${countIssueRevision('old')}
      ${countIssueRevision('new')}
    end`,
    ...copyIssueColumns('issue_label', 'label_id'),
    `create trigger issue_assignee_revision_update after update of issue_id, user_id on issue_assignee begin
      ${countIssueRevision('old')}
      ${countIssueRevision('new')}
    end`,
    ...copyIssueColumns('issue_assignee', 'user_id'),
    ...copyIssueColumns('issue_mention', 'user_id'),
    `create trigger issue_places after update of repo_id, is_pull, is_closed, created_unix on issue
      when old.repo_id <> new.repo_id or old.is_pull <> new.is_pull or old.is_closed <> new.is_closed
      or old.created_unix <> new.created_unix begin
      update issue_label set repo_id = new.repo_id, is_pull = new.is_pull, is_closed = new.is_closed, created_unix =
        new.created_unix where issue_id = new.id;
      update issue_assignee set repo_id = new.repo_id, is_pull = new.is_pull, is_closed = new.is_closed, created_unix
        = new.created_unix where issue_id = new.id;
      update issue_mention set repo_id = new.repo_id, is_pull = new.is_pull, is_closed = new.is_closed, created_unix
        = new.created_unix where issue_id = new.id;
    end`,
    `create trigger comment_revision_insert after insert on comment when new.type = 'comment' begin
      ${countIssueRevision('new')}
    end`,
    `create trigger comment_revision_update after update on comment when (old.type = 'comment'
      or new.type = 'comment') and old.repo_id is not null begin
      ${countIssueRevision('old')}
      ${countIssueRevision('new')}
    end`,
    `create trigger comment_revision_delete after delete on comment when old.type = 'comment' begin
      ${countIssueRevision('old')}
    end`,
    `create trigger issue_changed_0 after insert on issue when new.updated_unix < new.created_unix begin
      update issue set updated_unix = created_unix where id = new.id;
    end`,
    `create trigger issue_changed_1 after update of updated_unix, created_unix on issue
      when new.updated_unix < new.created_unix begin
      update issue set updated_unix = created_unix where id = new.id;
    end`,
    `create trigger issue_asked_update after update of repo_id, is_closed, created_unix, poster_id on issue
      when new.is_pull and (old.repo_id <> new.repo_id or old.is_closed <> new.is_closed
      or old.created_unix <> new.created_unix or old.poster_id <> new.poster_id) begin
      ${settleRequests('new.id')}
    end`,
  ],
  postgres: [
    `create index issue_words_all on issue_words using gin (words)`,
    `create index comment_words_all on comment_words using gin (words)`,
    `create function set_listed_due() returns trigger language plpgsql as $$
    declare of_milestone bigint;
    begin
      if tg_op = 'UPDATE' and old.due_unix = new.due_unix and old.milestone_id is not distinct
        from new.milestone_id then
        return new;
      end if;
      -- Whoever changes the milestone's date meanwhile is waited for.
      if new.milestone_id is not null then select due_unix into of_milestone from milestone
        where id = new.milestone_id for share;
    end if;
    new.listed_due_unix := case when coalesce(of_milestone, 0) = 0 then new.due_unix when new.due_unix = 0
      or of_milestone < new.due_unix then of_milestone else new.due_unix end;
    return new;
    end $$`,
    `create function pass_on_due() returns trigger language plpgsql as $$
    begin
      if old.due_unix <> new.due_unix then
        update issue set listed_due_unix = case when coalesce(new.due_unix, 0) = 0 then due_unix when due_unix = 0
          or new.due_unix < due_unix then new.due_unix else due_unix end where milestone_id = new.id;
      end if;
      return null;
    end $$`,
    `create function place_comment() returns trigger language plpgsql as $$
    begin
      select repo_id, is_pull into new.repo_id, new.is_of_pull from issue where id = new.issue_id;
      return new;
    end $$`,
    // Words without accents, as FTS5 indexes them.
    `create function words_of(value text) returns tsvector language sql immutable parallel safe as $$
      select to_tsvector('simple', translate(
        case when octet_length(value) = char_length(value) then value
        else regexp_replace(normalize(regexp_replace(normalize(value, NFD), '[\\u0300-\\u036f]+', '', 'g'), NFC),
          '${signs}', ' ', 'g') end,
        '${punctuation}', repeat(' ', 32)))
    $$`,
    `create function keep_issue_words() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        delete from issue_words where rowid = old.id;
      else
        insert into issue_words values (new.id, ${issueWords('new')})
          on conflict (rowid) do update set words = excluded.words;
      end if;
      return null;
    end $$`,
    `create function keep_comment_words() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        delete from comment_words where rowid = old.id;
      else
        insert into comment_words values (new.id, ${commentWords('new')})
          on conflict (rowid) do update set words = excluded.words;
      end if;
      return null;
    end $$`,
    `create function place_tracked_time() returns trigger language plpgsql as $$
    begin
      select repo_id, is_pull into new.repo_id, new.is_of_pull from issue where id = new.issue_id;
      return new;
    end $$`,
    `create function place_by_issue() returns trigger language plpgsql as $$
    begin
      select repo_id, is_pull, is_closed, created_unix into new.repo_id, new.is_pull, new.is_closed, new.created_unix
        from issue where id = new.issue_id for no key update;
      return new;
    end $$`,
    `create function pass_on_place() returns trigger language plpgsql as $$
    begin
      update issue_label set repo_id = new.repo_id, is_pull = new.is_pull, is_closed = new.is_closed, created_unix =
        new.created_unix where issue_id = new.id;
      update issue_assignee set repo_id = new.repo_id, is_pull = new.is_pull, is_closed = new.is_closed, created_unix
        = new.created_unix where issue_id = new.id;
      update issue_mention set repo_id = new.repo_id, is_pull = new.is_pull, is_closed = new.is_closed, created_unix
        = new.created_unix where issue_id = new.id;
      return null;
    end $$`,
    `create function set_changed() returns trigger language plpgsql as $$
    begin
      new.updated_unix := new.created_unix;
      return new;
    end $$`,
    `create function settle_requests_of() returns trigger language plpgsql as $$
    begin
      ${settleRequests('new.id')}
      return null;
    end $$`,
    `create trigger label_revision after insert or update or delete on "label" for each row
      execute function count_revision()`,
    `create trigger milestone_revision after insert or update or delete on "milestone" for each row
      execute function count_revision()`,
    `create trigger issue_revision after insert or update or delete on "issue" for each row
      execute function count_revision()`,
    `create trigger attachment_revision after insert or update or delete on attachment for each row
      execute function count_issue_revision()`,
    `create trigger issue_due before insert or update of due_unix, milestone_id on issue for each row
      execute function set_listed_due()`,
    `create trigger milestone_due after update of due_unix on milestone for each row execute function pass_on_due()`,
    `create trigger comment_place before insert on comment for each row
      when (new.type in ('comment', 'code', 'review')) execute function place_comment()`,
    `create trigger issue_words_write after insert or update of title, content, further_words on issue for each row
      execute function keep_issue_words()`,
    `create trigger issue_words_delete after delete on issue for each row execute function keep_issue_words()`,
    `create trigger comment_words_write after insert or update of content, further_words on comment for each row
      when (new.type in ('comment', 'code', 'review')) execute function keep_comment_words()`,
    `create trigger comment_words_delete after delete on comment for each row
      when (old.type in ('comment', 'code', 'review')) execute function keep_comment_words()`,
    `create trigger tracked_time_place before insert on tracked_time for each row execute function place_tracked_time()`,
    `create trigger issue_label_revision after insert or update of issue_id, label_id or delete on issue_label
      for each row execute function count_issue_revision()`,
    `create trigger issue_label_place before insert or update of issue_id on issue_label for each row
      execute function place_by_issue()`,
    `create trigger issue_assignee_revision after insert or update of issue_id, user_id
      or delete on issue_assignee for each row execute function count_issue_revision()`,
    `create trigger issue_assignee_place before insert or update of issue_id on issue_assignee
      for each row execute function place_by_issue()`,
    `create trigger issue_mention_place before insert or update of issue_id on issue_mention
      for each row execute function place_by_issue()`,
    `create trigger issue_places after update of repo_id, is_pull, is_closed, created_unix on issue for each row
      when (old.repo_id <> new.repo_id or old.is_pull <> new.is_pull or old.is_closed <> new.is_closed
      or old.created_unix <> new.created_unix) execute function pass_on_place()`,
    `create constraint trigger comment_revision_insert after insert on comment deferrable initially deferred
      for each row when (new.type = 'comment') execute function count_issue_revision()`,
    `create constraint trigger comment_revision_update after update on comment deferrable initially deferred
      for each row when ((old.type = 'comment' or new.type = 'comment')) execute function count_issue_revision()`,
    `create constraint trigger comment_revision_delete after delete on comment deferrable initially deferred
      for each row when (old.type = 'comment') execute function count_issue_revision()`,
    `create trigger issue_changed before insert or update of updated_unix, created_unix on issue for each row
      when (new.updated_unix < new.created_unix) execute function set_changed()`,
    `create trigger issue_asked_update after update of repo_id, is_closed, created_unix, poster_id on issue
      for each row when (new.is_pull and (old.repo_id <> new.repo_id or old.is_closed <> new.is_closed
      or old.created_unix <> new.created_unix or old.poster_id <> new.poster_id))
      execute function settle_requests_of()`,
  ],
  rewrite: [
    {
      sqlite: `insert into issue_words (issue_words) values ('rebuild')`,
      postgres: `insert into issue_words select id, ${issueWords('issue')} from issue`,
    },
    {
      sqlite: `insert into comment_words (comment_words) values ('rebuild')`,
      postgres: `insert into comment_words select id, ${commentWords('comment')} from comment
        where type in ('comment', 'code', 'review')`,
    },
  ],
}
