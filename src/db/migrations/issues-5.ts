import type { Migration } from './migration.ts'

export type Row = 'old' | 'new'

const sqlite = (text: string) => ({ sqlite: text, postgres: '' })
const postgres = (text: string) => ({ sqlite: '', postgres: text })

export const counts = ['open_issues', 'closed_issues', 'open_pulls', 'closed_pulls']
const key = ['repo_id', 'sort', 'level', 'block', 'shard']
const isEmpty = counts.map((each) => `${each} = 0`).join(' and ')
const target = `issue_block (${[...key, ...counts].join(', ')})`
const added = `on conflict (${key.join(', ')}) do update set
  ${counts.map((each) => `${each} = issue_block.${each} + excluded.${each}`).join(', ')}`

/** One in the count of an issue's kind and state, or less than one. */
export const one = (row: string, sign: '' | '-'): string =>
  [
    `not ${row}.is_pull and not ${row}.is_closed`,
    `not ${row}.is_pull and ${row}.is_closed`,
    `${row}.is_pull and not ${row}.is_closed`,
    `${row}.is_pull and ${row}.is_closed`,
  ]
    .map((isIt, index) => `case when ${isIt} then ${sign}1 else 0 end as ${counts[index]}`)
    .join(', ')

/** What writers of different issues change at once is in so many rows, so that few wait. */
const shardOf = (row: string): string => `${row}.id % 4`
/** Wide and narrow blocks, as powers of two of seconds. */
const levels = [19, 9]

/** From this number of an issue on its repository has blocks: pages before are read without them. */
export const firstNumber = 4000
/** The same for comments: so many in one of the eight rows that count them. */
const firstComments = 500

interface Place {
  readonly sort: string
  readonly level: number
  readonly block: string
  readonly shard: string
}

interface Sort {
  readonly name: string
  /** The columns that its blocks are made of. */
  readonly columns: readonly string[]
  /** Those by which these change, where the database computes them. */
  readonly causes?: readonly string[]
  /** Which issues are counted; absent: all. */
  readonly isAmong?: (row: string) => string
  /** Where an issue counts. */
  readonly places: (row: string) => readonly Place[]
  /** Blocks that nothing is in any more are taken away: there would be one for each change. */
  readonly isSwept?: boolean
}

export const sorts: readonly Sort[] = [
  {
    name: 'created',
    columns: ['created_unix'],
    places: (row) =>
      levels.map((bits, level) => ({ sort: `'created'`, level, block: `${row}.created_unix >> ${bits}`, shard: '0' })),
  },
  {
    name: 'updated',
    columns: ['updated_unix'],
    places: (row) =>
      levels.map((bits, level) => ({
        sort: `'updated'`,
        level,
        block: `${row}.updated_unix >> ${bits}`,
        shard: shardOf(row),
      })),
    isSwept: true,
  },
  {
    name: 'comments',
    columns: ['num_comments'],
    places: (row) => [{ sort: `'comments'`, level: 0, block: `${row}.num_comments`, shard: shardOf(row) }],
  },
  {
    name: 'due',
    columns: ['listed_due_unix'],
    causes: ['due_unix', 'milestone_id'],
    isAmong: (row) => `${row}.listed_due_unix <> 0`,
    places: (row) =>
      levels.map((bits, level) => ({ sort: `'due'`, level, block: `${row}.listed_due_unix >> ${bits}`, shard: '0' })),
  },
  {
    // Those without a date, which are many more, are all but these.
    name: 'dated',
    columns: ['created_unix', 'listed_due_unix'],
    causes: ['due_unix', 'milestone_id'],
    isAmong: (row) => `${row}.listed_due_unix <> 0`,
    places: (row) =>
      levels.map((bits, level) => ({ sort: `'dated'`, level, block: `${row}.created_unix >> ${bits}`, shard: '0' })),
  },
]

/** Rows that say of an issue where it counts. */
export const placesOf = (of: readonly Sort[], row: string, sign: '' | '-', from = '', condition = 'true'): string =>
  of
    .flatMap(({ places, isAmong }) =>
      places(row).map(
        ({ sort, level, block, shard }) =>
          `select ${row}.repo_id as repo_id, ${sort} as sort, ${level} as level, ${block} as block, ${shard} as shard,
            ${one(row, sign)}${from} where ${condition}${isAmong ? ` and ${isAmong(row)}` : ''}`,
      ),
    )
    .join('\n union all ')

/** The same for comments, which count by when they were made, as open issues or pull requests do. */
const commentPlaces = (row: string, repo: string, isPull: string, sign: '' | '-', from = ''): string =>
  levels
    .map(
      (bits, level) => `select ${repo} as repo_id, 'comment' as sort, ${level} as level,
        ${row}.created_unix >> ${bits} as block, ${row}.issue_id % 4 as shard,
        case when ${isPull} then 0 else ${sign}1 end as open_issues, 0 as closed_issues,
        case when ${isPull} then ${sign}1 else 0 end as open_pulls, 0 as closed_pulls${from}`,
    )
    .join('\n union all ')

/** Counts what such rows say. What takes from a block and gives it back leaves it alone; all who wait do so in one order. */
export const count = (places: string, condition = 'true'): string => {
  const sums = counts.map((each) => `sum(${each})`)
  return `insert into ${target} select ${key.join(', ')}, ${sums.join(', ')} from (${places}) as placed
    where ${condition} group by ${key.join(', ')} having ${sums.map((sum) => `${sum} <> 0`).join(' or ')}
    order by ${key.join(', ')} ${added};`
}

/** Whether the issues or the comments of a repository are counted. Of one that is going nothing is: its counts go with it. */
export const isKept = (repo: string, ofComments: boolean): string =>
  `exists (select 1 from issue_block_repo as kept where kept.repo_id = ${repo} and kept.of_comments = ${ofComments}
    and exists (select 1 from repo where repo.id = kept.repo_id))`
const isMoved = ({ columns, isAmong }: Sort): string => {
  const differs = ['is_closed', ...columns].map((column) => `old.${column} <> new.${column}`).join(' or ')
  return isAmong ? `(${differs}) and (${isAmong('old')} or ${isAmong('new')})` : differs
}

/** SQLite: from one block to another. */
const move = (sort: Sort): string => {
  const empty = sort.places('old').map(
    (place) => `delete from issue_block where repo_id = old.repo_id and sort = ${place.sort} and level = ${place.level}
      and block = ${place.block} and shard = ${place.shard} and ${isEmpty};`,
  )
  return `${count(`${placesOf([sort], 'old', '-')} union all ${placesOf([sort], 'new', '')}`)}
    ${sort.isSwept ? empty.join('\n') : ''}`
}

/** Which of the counts an issue belongs to, from 0. */
export const kindOf = (row: string): string => `${row}.is_pull::integer * 2 + ${row}.is_closed::integer`

/** PostgreSQL: the same, by as few and as simple statements as it takes. */
const moveStepwise = ({ places, isAmong, isSwept = false }: Sort): string => {
  const blockOf = (row: Row, { block }: Place) => (isAmong ? `case when ${isAmong(row)} then ${block} end` : block)
  const from = places('old')
  return places('new')
    .map(
      (to, index) => `perform move_in_blocks(new.repo_id, ${to.sort}, ${to.level}, ${to.shard},
        ${blockOf('old', from[index] as Place)}, ${kindOf('old')}, ${blockOf('new', to)}, ${kindOf('new')}, ${isSwept});`,
    )
    .join('\n')
}
export const byKind = (sign: '+' | '-', kind: string): string =>
  counts
    .map((each, index) => `${each} = issue_block.${each} ${sign} case when ${kind} = ${index} then 1 else 0 end`)
    .join(', ')
const add = `insert into ${target}
  values (at_repo, at_sort, at_level, new_block, at_shard,
    ${counts.map((_, index) => `case when new_kind = ${index} then 1 else 0 end`).join(', ')}) ${added};`
const taken = `repo_id = at_repo and sort = at_sort and level = at_level and block = old_block and shard = at_shard`
const take = `update issue_block set ${byKind('-', 'old_kind')} where ${taken} returning ${isEmpty} into is_empty;
  if is_swept and is_empty then
    delete from issue_block where ${taken} and ${isEmpty};
  end if;`

/** PostgreSQL: issues that a statement made; it plans one join sooner than as many parts as there are places. */
export const countMade = `insert into ${target}
  select made.repo_id, place.sort, place.level, place.block, place.shard,
    ${[0, 1, 2, 3].map((index) => `count(*) filter (where made.is_pull::integer * 2 + made.is_closed::integer = ${index})`).join(', ')}
  from made cross join lateral (values ${sorts
    .flatMap(({ places, isAmong }) =>
      places('made').map(
        ({ sort, level, block, shard }) =>
          `(${sort}, ${level}, ${isAmong ? `case when ${isAmong('made')} then ${block} end` : block}, ${shard})`,
      ),
    )
    .join(', ')}) as place (sort, level, block, shard)
  where place.block is not null and ${isKept('made.repo_id', false)} group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5 ${added};`

const takeComment = count(commentPlaces('old', 'old.repo_id', 'old.is_of_pull', '-'))

/** All issues or comments of a repository, counted for the first time. */
export const countAll = (repo: string): string =>
  count(placesOf(sorts, 'issue', '', ` from issue`, `issue.repo_id = ${repo}`))
export const countAllComments = (repo: string): string =>
  count(
    commentPlaces(
      'comment',
      'comment.repo_id',
      'comment.is_of_pull',
      '',
      ` from comment
      where comment.repo_id = ${repo} and comment.type = 'comment'`,
    ),
  )
/** PostgreSQL: who changes something waits for who counts all for the first time, and the other way round. */
export const lock = (mode: '' | '_shared', repo: string): string =>
  `pg_advisory_xact_lock${mode}(1774612, (${repo} % 2147483647)::integer)`

const isMany = (repo: string): string => `exists (select 1 from issue_tally as tally where tally.repo_id = ${repo}
  and tally.facet = 'comment' and tally.total >= ${firstComments})`

/** A repository is counted from now on, unless it is already. */
export const begin = (repo: string, ofComments: boolean, condition: string): string =>
  `insert into issue_block_repo (repo_id, of_comments) select distinct ${repo}, ${ofComments} ${condition}
    on conflict do nothing;`

/** PostgreSQL: comments that a statement made. */
export const countMadeComments = count(
  commentPlaces('made', 'made.repo_id', 'made.is_of_pull', '', ` from made where type = 'comment'`),
  isKept('placed.repo_id', true),
)

/** What PostgreSQL does with issues that a statement made: counts them where that is done, or all from now on. */
export const ofNewIssues = (countThem: string): string => `
  declare any_kept boolean; last_number bigint;
  begin
    perform ${lock('_shared', 'repo_id')} from (select distinct repo_id from made order by 1) as place;
    select bool_or(${isKept('made.repo_id', false)}), max("index") into any_kept, last_number from made;
    if any_kept then
      ${countThem}
    end if;
    if last_number >= ${firstNumber} then
      ${begin('repo_id', false, `from made where "index" >= ${firstNumber} and not ${isKept('made.repo_id', false)}`)}
    end if;
    return null;
  end`
export const ofNewComments = (countThem: string): string => `
  declare any_kept boolean; any_many boolean;
  begin
    perform ${lock('_shared', 'repo_id')}
      from (select distinct repo_id from made where type = 'comment' order by 1) as place;
    select bool_or(${isKept('made.repo_id', true)}), bool_or(${isMany('made.repo_id')}) into any_kept, any_many
      from made where type = 'comment';
    if any_kept then
      ${countThem}
    end if;
    if any_many then
      ${begin(
        'repo_id',
        true,
        `from made where type = 'comment' and ${isMany('made.repo_id')} and not ${isKept('made.repo_id', true)}`,
      )}
    end if;
    return null;
  end`

/**
 * Counts of issues and comments by blocks of what lists are ordered by: of six days and of nine minutes, and of numbers of
 * comments. A deep page sums up blocks to find the one in which it begins, and passes over rows of that alone.
 */
export const issues5: Migration = {
  name: 'issues-5',
  statements: [
    `create table issue_block (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      sort text not null,
      level integer not null,
      block bigint not null,
      shard integer not null,
      ${counts.map((each) => `${each} integer not null default 0`).join(', ')},
      unique (${key.join(', ')})
    )`,
    // Only of repositories that have many: others would have more of these rows than of issues.
    `create table issue_block_repo (
      repo_id bigint not null references repo(id) on delete cascade,
      of_comments boolean not null,
      primary key (repo_id, of_comments)
    )`,
    ...[false, true].map((ofComments) =>
      sqlite(`create trigger issue_block_repo_${ofComments ? 'comments' : 'issues'} after insert on issue_block_repo
        when new.of_comments = ${ofComments} begin
        ${ofComments ? countAllComments('new.repo_id') : countAll('new.repo_id')}
      end`),
    ),
    postgres(`create function count_blocks() returns trigger language plpgsql as $$ begin
        perform ${lock('', 'new.repo_id')};
        if new.of_comments then
          ${countAllComments('new.repo_id')}
        else
          ${countAll('new.repo_id')}
        end if;
        return null;
      end $$`),
    postgres(
      `create trigger issue_block_repo_insert after insert on issue_block_repo for each row execute function count_blocks()`,
    ),
    begin('issue.repo_id', false, `from issue where issue."index" >= ${firstNumber}`),
    begin('issue_tally.repo_id', true, `from issue_tally where facet = 'comment' and total >= ${firstComments}`),

    // What is there before the repository is counted for the first time is counted then.
    sqlite(`create trigger issue_block_insert after insert on issue
      when new."index" >= ${firstNumber} or ${isKept('new.repo_id', false)} begin
      ${count(placesOf(sorts, 'new', ''), isKept('new.repo_id', false))}
      ${begin('new.repo_id', false, `where not ${isKept('new.repo_id', false)}`)}
    end`),
    sqlite(`create trigger issue_block_delete after delete on issue when ${isKept('old.repo_id', false)} begin
      ${count(placesOf(sorts, 'old', '-'))}
    end`),
    ...sorts.map((sort) =>
      sqlite(`create trigger issue_block_${sort.name} after update of is_closed, ${sort.columns.join(', ')} on issue
        when (${isMoved(sort)}) and ${isKept('new.repo_id', false)} begin ${move(sort)} end`),
    ),
    // Its repository is set by an update, before or after it is counted there: it is in no list before.
    sqlite(`create trigger comment_block_insert after update of repo_id on comment
      when new.type = 'comment' and old.repo_id is null and ${isKept('new.repo_id', true)} begin
      ${count(commentPlaces('new', 'new.repo_id', 'new.is_of_pull', ''))}
    end`),
    sqlite(`create trigger comment_block_delete after delete on comment
      when old.type = 'comment' and ${isKept('old.repo_id', true)} begin
      ${takeComment}
    end`),
    sqlite(`create trigger comment_block_begin after update of total on issue_tally
      when new.facet = 'comment' and new.total >= ${firstComments} and old.total < new.total
        and not ${isKept('new.repo_id', true)} begin
      ${begin('new.repo_id', true, 'where true')}
    end`),

    // Many rows of one statement are counted at once: PostgreSQL keeps all that a row was within a transaction.
    postgres(`create function block_new_issues() returns trigger language plpgsql as $$ ${ofNewIssues(countMade)} $$`),
    postgres(`create trigger issue_block_insert after insert on issue referencing new table as made
      for each statement execute function block_new_issues()`),
    postgres(
      `create function block_new_comments() returns trigger language plpgsql as $$ ${ofNewComments(countMadeComments)} $$`,
    ),
    postgres(`create trigger comment_block_insert after insert on comment referencing new table as made
      for each statement execute function block_new_comments()`),
    postgres(`create function block_gone() returns trigger language plpgsql as $$ begin
        perform ${lock('_shared', 'old.repo_id')};
        if tg_table_name = 'comment' and ${isKept('old.repo_id', true)} then
          ${takeComment}
        elsif tg_table_name = 'issue' and ${isKept('old.repo_id', false)} then
          ${count(placesOf(sorts, 'old', '-'))}
        end if;
        return null;
      end $$`),
    postgres(`create trigger issue_block_delete after delete on issue for each row execute function block_gone()`),
    postgres(`create trigger comment_block_delete after delete on comment for each row when (old.type = 'comment')
      execute function block_gone()`),
    // A block that is null is none. Who waits for another does so for the earlier block first.
    postgres(`create function move_in_blocks(at_repo bigint, at_sort text, at_level integer, at_shard bigint,
        old_block bigint, old_kind integer, new_block bigint, new_kind integer, is_swept boolean)
      returns void language plpgsql as $$
      declare is_empty boolean;
      begin
        if old_block = new_block and old_kind = new_kind then
          return;
        end if;
        if old_block is not null and (new_block is null or old_block <= new_block) then
          ${take}
        end if;
        if new_block is not null then
          ${add}
        end if;
        if old_block > new_block then
          ${take}
        end if;
      end $$`),
    postgres(`create function block_issue() returns trigger language plpgsql as $$ begin
        perform ${lock('_shared', 'new.repo_id')};
        if not ${isKept('new.repo_id', false)} then
          return null;
        end if;
        ${sorts.map((sort) => `if ${isMoved(sort)} then ${moveStepwise(sort)} end if;`).join('\n')}
        return null;
      end $$`),
    // It goes by what a statement names, not by what changes with it.
    postgres(`create trigger issue_block_update
      after update of ${[...new Set(['is_closed', ...sorts.flatMap(({ columns, causes = [] }) => [...columns, ...causes])])].join(', ')}
      on issue for each row when (${sorts.map((sort) => `(${isMoved(sort)})`).join(' or ')}) execute function block_issue()`),
  ],
}
