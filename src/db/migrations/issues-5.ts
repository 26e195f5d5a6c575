import type { Migration } from './migration.ts'

type Row = 'old' | 'new'

const sqlite = (text: string) => ({ sqlite: text, postgres: '' })
const postgres = (text: string) => ({ sqlite: '', postgres: text })

const counts = ['open_issues', 'closed_issues', 'open_pulls', 'closed_pulls']
const key = ['repo_id', 'sort', 'level', 'block', 'shard']
const isEmpty = counts.map((each) => `${each} = 0`).join(' and ')
const target = `issue_block (${[...key, ...counts].join(', ')})`
const added = `on conflict (${key.join(', ')}) do update set
  ${counts.map((each) => `${each} = issue_block.${each} + excluded.${each}`).join(', ')}`

/** One in the count of an issue's kind and state, or less than one. */
const one = (row: string, sign: '' | '-'): string =>
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

const sorts: readonly Sort[] = [
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
const placesOf = (of: readonly Sort[], row: string, sign: '' | '-', from = ''): string =>
  of
    .flatMap(({ places, isAmong }) =>
      places(row).map(
        ({ sort, level, block, shard }) =>
          `select ${row}.repo_id as repo_id, ${sort} as sort, ${level} as level, ${block} as block, ${shard} as shard,
            ${one(row, sign)}${from} ${isAmong ? `where ${isAmong(row)}` : ''}`,
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
const count = (places: string): string => {
  const sums = counts.map((each) => `sum(${each})`)
  return `insert into ${target} select ${key.join(', ')}, ${sums.join(', ')} from (${places}) as placed
    where true group by ${key.join(', ')} having ${sums.map((sum) => `${sum} <> 0`).join(' or ')}
    order by ${key.join(', ')} ${added};`
}

/** Of a repository that is going nothing is counted any more: its counts go with it. */
const isThere = (row: Row): string => `exists (select 1 from repo where repo.id = ${row}.repo_id)`
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
const kindOf = (row: Row): string => `${row}.is_pull::integer * 2 + ${row}.is_closed::integer`

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
const byKind = (sign: '+' | '-', kind: string): string =>
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
const countMade = `insert into ${target}
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
  where place.block is not null group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5 ${added};`

const ofIssue = ' from issue where issue.id = new.issue_id'
const takeComment = count(commentPlaces('old', 'old.repo_id', 'old.is_of_pull', '-'))

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
    ...sorts.map((sort) => count(placesOf([sort], 'issue', '', ' from issue'))),
    count(
      commentPlaces('comment', 'comment.repo_id', 'comment.is_of_pull', '', ` from comment where type = 'comment'`),
    ),

    sqlite(`create trigger issue_block_insert after insert on issue begin ${count(placesOf(sorts, 'new', ''))} end`),
    sqlite(`create trigger issue_block_delete after delete on issue when ${isThere('old')} begin
      ${count(placesOf(sorts, 'old', '-'))}
    end`),
    ...sorts.map((sort) =>
      sqlite(`create trigger issue_block_${sort.name} after update of is_closed, ${sort.columns.join(', ')} on issue
        when ${isMoved(sort)} begin ${move(sort)} end`),
    ),
    sqlite(`create trigger comment_block_insert after insert on comment when new.type = 'comment' begin
      ${count(commentPlaces('new', 'issue.repo_id', 'issue.is_pull', '', ofIssue))}
    end`),
    sqlite(`create trigger comment_block_delete after delete on comment when old.type = 'comment' and ${isThere('old')} begin
      ${takeComment}
    end`),

    // Many rows of one statement are counted at once: PostgreSQL keeps all that a row was within a transaction.
    postgres(`create function block_new_issues() returns trigger language plpgsql as $$ begin
        ${countMade}
        return null;
      end $$`),
    postgres(`create trigger issue_block_insert after insert on issue referencing new table as made
      for each statement execute function block_new_issues()`),
    postgres(`create function block_new_comments() returns trigger language plpgsql as $$ begin
        ${count(commentPlaces('made', 'made.repo_id', 'made.is_of_pull', '', ` from made where type = 'comment'`))}
        return null;
      end $$`),
    postgres(`create trigger comment_block_insert after insert on comment referencing new table as made
      for each statement execute function block_new_comments()`),
    postgres(`create function block_gone() returns trigger language plpgsql as $$ begin
        if ${isThere('old')} then
          if tg_table_name = 'issue' then
            ${count(placesOf(sorts, 'old', '-'))}
          else
            ${takeComment}
          end if;
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
    ...sorts.flatMap((sort) => [
      postgres(`create function block_issue_${sort.name}() returns trigger language plpgsql as $$ begin
          ${moveStepwise(sort)}
          return null;
        end $$`),
      // It goes by what a statement names, not by what changes with it.
      postgres(`create trigger issue_block_${sort.name}
        after update of ${['is_closed', ...sort.columns, ...(sort.causes ?? [])].join(', ')} on issue
        for each row when (${isMoved(sort)}) execute function block_issue_${sort.name}()`),
    ]),
  ],
}
