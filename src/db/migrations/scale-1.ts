import type { Migration } from './migration.ts'

const sqlite = (text: string) => ({ sqlite: text, postgres: '' })
const postgres = (text: string) => ({ sqlite: '', postgres: text })
const triggerFunction = (name: string, body: string) =>
  postgres(`create function ${name}() returns trigger language plpgsql as $$ begin ${body} end $$`)

/** Longest part of a text that words are found in, in characters (`issues-1`). */
const indexedCharacters = 200_000

/** Words that tell where a text is, which no text can hold: those of PostgreSQL begin with a character that words have not. */
const placeWords = (repo: string, kind: string): string => `'r' || ${repo} || ' k' || ${kind}`
const vector = (texts: string, repo: string, kind: string): string => `to_tsvector('simple', ${texts})
  || array_to_tsvector(array['~r' || (${repo})::text, '~k' || (${kind})::int::text])`

const issueVector = (row: string): string =>
  vector(`${row}.title || ' ' || left(${row}.content, ${indexedCharacters})`, `${row}.repo_id`, `${row}.is_pull`)
const commentVector = (row: string): string =>
  vector(`left(${row}.content, ${indexedCharacters})`, `${row}.repo_id`, `${row}.is_of_pull`)

/** Triggers of SQLite that keep the index of words as the rows are. A comment's place is known only after it is inserted. */
const keepsWords = (table: 'issue' | 'comment', when: string, columns: string, kind: string) => {
  const values = (row: 'old' | 'new', place: string) =>
    [...columns.split(', ').map((column) => `${row}.${column}`), place].join(', ')
  const placeNow =
    table === 'issue'
      ? placeWords('new.repo_id', 'new.is_pull')
      : `(select ${placeWords('repo_id', 'is_pull')} from issue where id = new.issue_id)`
  const add = `insert into ${table}_words (rowid, ${columns}, place) values (new.id, ${values('new', placeNow)});`
  const take = `insert into ${table}_words (${table}_words, rowid, ${columns}, place)
    values ('delete', old.id, ${values('old', placeWords('old.repo_id', `old.${kind}`))});`
  const of = (row: 'old' | 'new') => `on ${table} ${when.replaceAll('row', row)}`
  return [
    ...['insert', 'delete', 'update'].map((act) => sqlite(`drop trigger ${table}_words_${act}`)),
    sqlite(`create trigger ${table}_words_insert after insert ${of('new')} begin ${add} end`),
    sqlite(`create trigger ${table}_words_delete after delete ${of('old')} begin ${take} end`),
    sqlite(`create trigger ${table}_words_update after update of ${columns} ${of('old')} begin ${take} ${add} end`),
  ]
}

/** The same for PostgreSQL, where the words are rows of a table with an index. */
const storesWords = (table: 'issue' | 'comment', when: string, columns: string, words: string) => [
  triggerFunction(
    `keep_${table}_words`,
    `if tg_op = 'DELETE' then
       delete from ${table}_words where rowid = old.id;
     else
       insert into ${table}_words values (new.id, ${words}) on conflict (rowid) do update set words = excluded.words;
     end if; return null;`,
  ),
  postgres(`create trigger ${table}_words_write after insert or update of ${columns} on ${table}
    for each row ${when.replaceAll('row', 'new')} execute function keep_${table}_words()`),
  postgres(`create trigger ${table}_words_delete after delete on ${table}
    for each row ${when.replaceAll('row', 'old')} execute function keep_${table}_words()`),
]

/** Entries of timelines that are texts of people. */
const texts = `('comment', 'code', 'review')`

/** The earlier of an issue's date and its milestone's; 0 is none. */
const listedDue = (issue: string, milestone: string): string => `case
  when coalesce(${milestone}, 0) = 0 then ${issue}
  when ${issue} = 0 or ${milestone} < ${issue} then ${milestone}
  else ${issue} end`
const milestoneDue = (row: string): string => `(select due_unix from milestone where id = ${row}.milestone_id)`

/**
 * What lists of issues and comments are ordered by: columns that triggers keep, and indexes that have filter and order
 * together.
 */
export const scale1: Migration = {
  name: 'scale-1',
  statements: [
    // The date that an issue is ordered by.
    `alter table issue add column listed_due_unix bigint not null default 0`,
    `update issue set listed_due_unix = ${listedDue('due_unix', milestoneDue('issue'))}
      where due_unix <> 0 or milestone_id in (select id from milestone where due_unix <> 0)`,
    sqlite(`create trigger issue_due_insert after insert on issue when new.due_unix <> 0 or new.milestone_id is not null begin
      update issue set listed_due_unix = ${listedDue('new.due_unix', milestoneDue('new'))} where id = new.id;
    end`),
    sqlite(`create trigger issue_due_update after update of due_unix, milestone_id on issue
      when old.due_unix <> new.due_unix or old.milestone_id is not new.milestone_id begin
      update issue set listed_due_unix = ${listedDue('new.due_unix', milestoneDue('new'))} where id = new.id;
    end`),
    sqlite(`create trigger milestone_due_update after update of due_unix on milestone when old.due_unix <> new.due_unix begin
      update issue set listed_due_unix = ${listedDue('due_unix', 'new.due_unix')} where milestone_id = new.id;
    end`),
    postgres(`create function set_listed_due() returns trigger language plpgsql as $$
      declare of_milestone bigint;
      begin
        if tg_op = 'UPDATE' and old.due_unix = new.due_unix and old.milestone_id is not distinct from new.milestone_id then
          return new;
        end if;
        -- Whoever changes the milestone's date meanwhile is waited for.
        if new.milestone_id is not null then
          select due_unix into of_milestone from milestone where id = new.milestone_id for share;
        end if;
        new.listed_due_unix := ${listedDue('new.due_unix', 'of_milestone')};
        return new;
      end $$`),
    postgres(`create trigger issue_due before insert or update of due_unix, milestone_id on issue
      for each row execute function set_listed_due()`),
    postgres(`create function pass_on_due() returns trigger language plpgsql as $$ begin
        if old.due_unix <> new.due_unix then
          update issue set listed_due_unix = ${listedDue('due_unix', 'new.due_unix')} where milestone_id = new.id;
        end if;
        return null;
      end $$`),
    postgres(
      `create trigger milestone_due after update of due_unix on milestone for each row execute function pass_on_due()`,
    ),

    // One for each order, the kind and the state first: lists of several kinds or states are merged.
    `create index issue_by_created on issue (repo_id, is_pull, is_closed, created_unix, id)`,
    `create index issue_by_updated on issue (repo_id, is_pull, is_closed, updated_unix, created_unix, id)`,
    `create index issue_by_comments on issue (repo_id, is_pull, is_closed, num_comments, created_unix, id)`,
    `create index issue_by_fewest_comments on issue (repo_id, is_pull, is_closed, num_comments, created_unix desc, id desc)`,
    `create index issue_by_due on issue (repo_id, is_pull, is_closed, listed_due_unix, created_unix, id)`,
    `create index issue_by_nearest_due on issue
      (repo_id, is_pull, is_closed, (listed_due_unix = 0), listed_due_unix, created_unix desc, id desc)`,
    `create index issue_of_milestone on issue (milestone_id, is_pull, is_closed, created_unix, id)`,
    `drop index issue_milestone`,
    `create index issue_of_poster on issue (poster_id, is_closed, created_unix, id)`,
    `create index issue_of_poster_in on issue (repo_id, poster_id, is_pull, is_closed, created_unix, id)`,
    `drop index issue_poster`,

    // Comments know their repository.
    `alter table comment add column repo_id bigint`,
    `alter table comment add column is_of_pull boolean`,
    `update comment set repo_id = issue.repo_id, is_of_pull = issue.is_pull from issue
      where issue.id = comment.issue_id and comment.type in ${texts}`,
    `create index comment_of_repo on comment (repo_id, is_of_pull, created_unix, id) where type = 'comment'`,
    `create index comment_of_repo_updated on comment (repo_id, is_of_pull, updated_unix, created_unix, id)
      where type = 'comment'`,
    sqlite(`create trigger comment_place_insert after insert on comment when new.type in ${texts} begin
      update comment set (repo_id, is_of_pull) = (select repo_id, is_pull from issue where id = new.issue_id) where id = new.id;
    end`),
    triggerFunction(
      'place_comment',
      `select repo_id, is_pull into new.repo_id, new.is_of_pull from issue where id = new.issue_id; return new;`,
    ),
    postgres(`create trigger comment_place before insert on comment for each row when (new.type in ${texts})
      execute function place_comment()`),
    // Words are found in one repository and of one kind without those of the others.
    sqlite('drop table issue_words'),
    sqlite('drop table comment_words'),
    sqlite(
      `create view issue_text as select id, title, content, ${placeWords('repo_id', 'is_pull')} as place from issue`,
    ),
    sqlite(`create view comment_text as select id, content, ${placeWords('repo_id', 'is_of_pull')} as place from comment
      where type in ${texts}`),
    sqlite(
      `create virtual table issue_words using fts5(title, content, place, content='issue_text', content_rowid='id')`,
    ),
    sqlite(`create virtual table comment_words using fts5(content, place, content='comment_text', content_rowid='id')`),
    ...keepsWords('issue', '', 'title, content', 'is_pull'),
    ...keepsWords('comment', `when row.type in ${texts}`, 'content', 'is_of_pull'),
    ...['issue_words', 'comment_words'].flatMap((table) => [
      sqlite(`insert into ${table} (${table}) values ('rebuild')`),
      postgres(`drop index ${table}`),
      postgres(`create table ${table} (rowid bigint primary key, words tsvector not null)`),
    ]),
    postgres(`insert into issue_words select id, ${issueVector('issue')} from issue`),
    postgres(`insert into comment_words select id, ${commentVector('comment')} from comment where type in ${texts}`),
    ...['issue_words', 'comment_words'].map((table) =>
      postgres(`create index ${table}_all on ${table} using gin (words)`),
    ),
    ...storesWords('issue', '', 'title, content', issueVector('new')),
    ...storesWords('comment', `when (row.type in ${texts})`, 'content', commentVector('new')),
  ],
}
