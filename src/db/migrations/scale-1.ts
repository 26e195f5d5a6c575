import type { Migration } from './migration.ts'

type Row = 'old' | 'new'

const sqlite = (text: string) => ({ sqlite: text, postgres: '' })
const postgres = (text: string) => ({ sqlite: '', postgres: text })
const triggerFunction = (name: string, body: string) =>
  postgres(`create function ${name}() returns trigger language plpgsql as $$ begin ${body} end $$`)

/** What `issue_tally` counts by the pairs of a table, and the column that names the other side. */
const paired = [
  { table: 'issue_label', facet: 'label', column: 'label_id' },
  { table: 'issue_assignee', facet: 'assignee', column: 'user_id' },
  { table: 'issue_mention', facet: 'mentioned', column: 'user_id' },
] as const
/** What it counts by columns of issues. */
const own = [
  { facet: 'poster', column: 'poster_id' },
  { facet: 'milestone', column: 'milestone_id' },
] as const

const target = 'issue_tally (repo_id, facet, key_id, is_pull, is_closed, total)'
const onConflict = (difference: string): string =>
  `on conflict (repo_id, facet, key_id, is_pull, is_closed) do update set total = issue_tally.total ${difference}`
const kindOf = (row: string): string => `${row}.is_pull, ${row}.is_closed`

/** Of a repository that is going nothing is counted any more: its counts go with it. */
const isThere = (row: Row): string => `exists (select 1 from repo where repo.id = ${row}.repo_id)`

const addOwn = (row: Row): string =>
  own
    .map(
      ({ facet, column }) =>
        `insert into ${target} select ${row}.repo_id, '${facet}', ${row}.${column}, ${kindOf(row)}, 1
          where ${isThere(row)} and ${row}.${column} is not null ${onConflict('+ 1')};`,
    )
    .join('\n')
const takeOwn = (row: Row): string =>
  own
    .map(
      ({ facet, column }) =>
        `update issue_tally set total = total - 1 where repo_id = ${row}.repo_id and facet = '${facet}'
          and key_id = ${row}.${column} and is_pull = ${row}.is_pull and is_closed = ${row}.is_closed and ${isThere(row)};`,
    )
    .join('\n')
const addPairs = (row: Row): string =>
  paired
    .map(
      ({ table, facet, column }) =>
        `insert into ${target} select ${row}.repo_id, '${facet}', ${column}, ${kindOf(row)}, 1
          from ${table} where issue_id = ${row}.id ${onConflict('+ 1')};`,
    )
    .join('\n')
const takePairs = (row: Row): string =>
  paired
    .map(
      ({ table, facet, column }) =>
        `update issue_tally set total = total - 1 where repo_id = ${row}.repo_id and facet = '${facet}'
          and key_id in (select ${column} from ${table} where issue_id = ${row}.id)
          and is_pull = ${row}.is_pull and is_closed = ${row}.is_closed and ${isThere(row)};`,
    )
    .join('\n')

/** PostgreSQL waits for whoever closes or opens the issue meanwhile; SQLite has one writer. */
const settled = 'for no key update'
const addPair = (facet: string, column: string, lock: string): string =>
  `insert into ${target} select issue.repo_id, '${facet}', new.${column}, ${kindOf('issue')}, 1
    from issue where issue.id = new.issue_id ${lock} ${onConflict('+ 1')};`
/** An issue that is deleted has taken its pairs out of the count before they go. */
const takePair = (facet: string, column: string, lock: string): string =>
  `update issue_tally set total = total - 1 where facet = '${facet}' and key_id = old.${column}
    and (repo_id, is_pull, is_closed) in (select repo_id, is_pull, is_closed from issue
      where id = old.issue_id and exists (select 1 from repo where repo.id = issue.repo_id) ${lock});`

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
  const values = (row: Row, place: string) =>
    [...columns.split(', ').map((column) => `${row}.${column}`), place].join(', ')
  const placeNow =
    table === 'issue'
      ? placeWords('new.repo_id', 'new.is_pull')
      : `(select ${placeWords('repo_id', 'is_pull')} from issue where id = new.issue_id)`
  const add = `insert into ${table}_words (rowid, ${columns}, place) values (new.id, ${values('new', placeNow)});`
  const take = `insert into ${table}_words (${table}_words, rowid, ${columns}, place)
    values ('delete', old.id, ${values('old', placeWords('old.repo_id', `old.${kind}`))});`
  const of = (row: Row) => `on ${table} ${when.replaceAll('row', row)}`
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

/** Comments are counted in several rows, so that who writes below one issue waits for nobody who does below another. */
const commentKey = (row: Row): string => `${row}.issue_id % 8`

const takeComment = `update issue_tally set total = total - 1 where repo_id = old.repo_id and facet = 'comment'
  and key_id = ${commentKey('old')} and is_pull = old.is_of_pull and ${isThere('old')};`

/** The earlier of an issue's date and its milestone's; 0 is none. */
const listedDue = (issue: string, milestone: string): string => `case
  when coalesce(${milestone}, 0) = 0 then ${issue}
  when ${issue} = 0 or ${milestone} < ${issue} then ${milestone}
  else ${issue} end`
const milestoneDue = (row: string): string => `(select due_unix from milestone where id = ${row}.milestone_id)`

/**
 * What lists of issues and comments are ordered and counted by: numbers that the database itself keeps with the rows, and
 * indexes that have filter and order together.
 */
export const scale1: Migration = {
  name: 'scale-1',
  statements: [
    // How many issues of a repository have a label, a milestone, an author and so on, by kind and state.
    `create table issue_tally (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      facet text not null,
      key_id bigint not null,
      is_pull boolean not null,
      is_closed boolean not null,
      total bigint not null,
      unique (repo_id, facet, key_id, is_pull, is_closed)
    )`,
    `create index issue_tally_key on issue_tally (facet, key_id, repo_id)`,
    ...own.map(
      ({ facet, column }) => `insert into ${target}
        select repo_id, '${facet}', ${column}, is_pull, is_closed, count(*) from issue where ${column} is not null
        group by repo_id, ${column}, is_pull, is_closed`,
    ),
    ...paired.map(
      ({ table, facet, column }) => `insert into ${target}
        select issue.repo_id, '${facet}', it.${column}, issue.is_pull, issue.is_closed, count(*)
        from ${table} as it join issue on issue.id = it.issue_id
        group by issue.repo_id, it.${column}, issue.is_pull, issue.is_closed`,
    ),
    sqlite(`create trigger issue_tally_insert after insert on issue begin ${addOwn('new')} end`),
    sqlite(`create trigger issue_tally_update after update of is_closed, poster_id, milestone_id on issue
      when old.is_closed <> new.is_closed or old.poster_id <> new.poster_id or old.milestone_id is not new.milestone_id
      begin ${takeOwn('old')} ${addOwn('new')} end`),
    sqlite(`create trigger issue_tally_close after update of is_closed on issue when old.is_closed <> new.is_closed
      begin ${takePairs('old')} ${addPairs('new')} end`),
    sqlite(`create trigger issue_tally_delete before delete on issue begin ${takePairs('old')} ${takeOwn('old')} end`),
    ...paired.flatMap(({ table, facet, column }) => [
      sqlite(`create trigger ${table}_tally_insert after insert on ${table} begin ${addPair(facet, column, '')} end`),
      sqlite(`create trigger ${table}_tally_delete after delete on ${table} begin ${takePair(facet, column, '')} end`),
      triggerFunction(
        `tally_${table}`,
        `if tg_op = 'INSERT' then ${addPair(facet, column, settled)}
         else ${takePair(facet, column, settled)} end if; return null;`,
      ),
      postgres(`create trigger ${table}_tally after insert or delete on ${table}
        for each row execute function tally_${table}()`),
    ]),
    triggerFunction(
      'tally_issue',
      `if tg_op = 'INSERT' then ${addOwn('new')} return null; end if;
       if tg_op = 'DELETE' then ${takePairs('old')} ${takeOwn('old')} return old; end if;
       if old.is_closed <> new.is_closed or old.poster_id <> new.poster_id or old.milestone_id is distinct from new.milestone_id then
         ${takeOwn('old')} ${addOwn('new')}
       end if;
       if old.is_closed <> new.is_closed then ${takePairs('old')} ${addPairs('new')} end if;
       return null;`,
    ),
    postgres(`create trigger issue_tally_change after insert or update of is_closed, poster_id, milestone_id on issue
      for each row execute function tally_issue()`),
    postgres(`create trigger issue_tally_delete before delete on issue for each row execute function tally_issue()`),

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
    `insert into ${target} select repo_id, 'comment', issue_id % 8, is_of_pull, false, count(*) from comment
      where type = 'comment' group by repo_id, issue_id % 8, is_of_pull`,
    sqlite(`create trigger comment_place_insert after insert on comment when new.type in ${texts} begin
      update comment set (repo_id, is_of_pull) = (select repo_id, is_pull from issue where id = new.issue_id) where id = new.id;
    end`),
    sqlite(`create trigger comment_tally_insert after insert on comment when new.type = 'comment' begin
      insert into ${target} select repo_id, 'comment', ${commentKey('new')}, is_pull, false, 1
        from issue where id = new.issue_id ${onConflict('+ 1')};
    end`),
    sqlite(
      `create trigger comment_tally_delete after delete on comment when old.type = 'comment' begin ${takeComment} end`,
    ),
    triggerFunction(
      'place_comment',
      `select repo_id, is_pull into new.repo_id, new.is_of_pull from issue where id = new.issue_id; return new;`,
    ),
    postgres(`create trigger comment_place before insert on comment for each row when (new.type in ${texts})
      execute function place_comment()`),
    triggerFunction(
      'tally_comment',
      `if tg_op = 'DELETE' then ${takeComment}
       else insert into ${target} values (new.repo_id, 'comment', ${commentKey('new')}, new.is_of_pull, false, 1) ${onConflict('+ 1')};
       end if; return null;`,
    ),
    postgres(`create trigger comment_tally_insert after insert on comment for each row when (new.type = 'comment')
      execute function tally_comment()`),
    postgres(`create trigger comment_tally_delete after delete on comment for each row when (old.type = 'comment')
      execute function tally_comment()`),

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
