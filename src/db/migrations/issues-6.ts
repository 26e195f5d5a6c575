import {
  begin,
  byKind,
  count as countBlocks,
  countAll as countAllBlocks,
  countAllComments as countAllBlocksOfComments,
  countMade as countMadeBlocks,
  countMadeComments as countMadeBlocksOfComments,
  counts,
  firstNumber,
  isKept,
  kindOf,
  lock,
  ofNewComments,
  ofNewIssues,
  one,
  placesOf as blocksOf,
  sorts as blockSorts,
  type Row,
} from './issues-5.ts'
import type { Migration } from './migration.ts'

const sqlite = (text: string) => ({ sqlite: text, postgres: '' })
const postgres = (text: string) => ({ sqlite: '', postgres: text })

/** The kind and state first: lists of several kinds or states are merged. */
const part = 'repo_id, is_pull, is_closed'

const key = ['repo_id', 'sort', 'bits', 'y', 'x', 'shard']
const target = `issue_cell (${[...key, ...counts].join(', ')})`
const added = `on conflict (${key.join(', ')}) do update set
  ${counts.map((each) => `${each} = issue_cell.${each} + excluded.${each}`).join(', ')}`

/** All above this number of comments have one place: they are few. */
const mostComments = 31
/** A repository has at most so many cells of an order to begin with, and never more cells than issues: in each dimension 64. */
const mostCells = 4096
/** Cells are no narrower than so many seconds, as a power of two. */
const leastBits = 12
const mostBits = 44
/** The width of narrow blocks, of which it is known how many there are. */
const narrowBits = 9

interface Sort {
  readonly name: string
  /** The columns that its cells are made of, beside that of the latest change. */
  readonly columns: readonly string[]
  /** Where an issue is in the order. */
  readonly x: (row: string, bits: string) => string
  /** Which issues are counted; absent: all. */
  readonly isAmong?: (row: string) => string
  /** What writers of different issues change at once is in several rows. */
  readonly shard: (row: string) => string
}

const isDated = (row: string): string => `${row}.listed_due_unix <> 0`
const sorts: readonly Sort[] = [
  { name: 'created', columns: ['created_unix'], x: (row, bits) => `${row}.created_unix >> ${bits}`, shard: () => '0' },
  {
    name: 'comments',
    columns: ['num_comments'],
    x: (row) => `case when ${row}.num_comments < ${mostComments} then ${row}.num_comments else ${mostComments} end`,
    shard: (row) => `${row}.id % 4`,
  },
  {
    name: 'due',
    columns: ['listed_due_unix'],
    x: (row, bits) => `${row}.listed_due_unix >> ${bits}`,
    isAmong: isDated,
    shard: () => '0',
  },
  {
    name: 'dated',
    columns: ['created_unix', 'listed_due_unix'],
    x: (row, bits) => `${row}.created_unix >> ${bits}`,
    isAmong: isDated,
    shard: () => '0',
  },
]
/** As SQL lists them. */
const namesOf = (ofComments: boolean): string =>
  ofComments ? `'comment'` : sorts.map(({ name }) => `'${name}'`).join(', ')

/** That a row says how wide the cells of a repository are. Of one that is going nothing is counted. */
const isWidthOf = (repo: string, ofComments: boolean): string =>
  `kept.repo_id = ${repo} and kept.of_comments = ${ofComments} and kept.cell_bits is not null
    and exists (select 1 from repo where repo.id = kept.repo_id)`
const widthOf = (repo: string, ofComments: boolean, beside = ''): string =>
  `issue_block_repo as kept${beside} where ${isWidthOf(repo, ofComments)}`
const hasCells = (repo: string, ofComments: boolean): string => `exists (select 1 from ${widthOf(repo, ofComments)})`

/** Rows that say of an issue in which cells it counts. */
const cellsOf = (of: readonly Sort[], row: string, sign: '' | '-', from: string): string =>
  of
    .map(
      ({ name, x, isAmong, shard }) => `select kept.repo_id as repo_id, '${name}' as sort, kept.cell_bits as bits,
        ${row}.updated_unix >> kept.cell_bits as y, ${x(row, 'kept.cell_bits')} as x, ${shard(row)} as shard,
        ${one(row, sign)} from ${from}${isAmong ? ` and ${isAmong(row)}` : ''}`,
    )
    .join('\n union all ')
const cellsOfRow = (of: readonly Sort[], row: Row, sign: '' | '-'): string =>
  cellsOf(of, row, sign, widthOf(`${row}.repo_id`, false))

/** The same for comments, which count by when they were made, as open issues or pull requests do. */
const commentCells = (row: string, sign: '' | '-', from = widthOf(`${row}.repo_id`, true)): string =>
  `select kept.repo_id as repo_id, 'comment' as sort, kept.cell_bits as bits,
    ${row}.updated_unix >> kept.cell_bits as y, ${row}.created_unix >> kept.cell_bits as x, ${row}.issue_id % 4 as shard,
    case when ${row}.is_of_pull then 0 else ${sign}1 end as open_issues, 0 as closed_issues,
    case when ${row}.is_of_pull then ${sign}1 else 0 end as open_pulls, 0 as closed_pulls
    from ${from}`

const sums = counts.map((each) => `sum(${each})`)
const isAny = sums.map((sum) => `${sum} <> 0`).join(' or ')
/** Counts what such rows say. What takes from a cell and gives it back leaves it alone; all who wait do so in one order. */
const count = (cells: string): string =>
  `insert into ${target} select ${key.join(', ')}, ${sums.join(', ')} from (${cells}) as placed
    where true group by ${key.join(', ')} having ${isAny} order by ${key.join(', ')} ${added};`

const isMoved = ({ columns, isAmong }: Sort): string => {
  const differs = ['is_closed', 'updated_unix', ...columns].map((column) => `old.${column} <> new.${column}`)
  return `(${differs.join(' or ')})${isAmong ? ` and (${isAmong('old')} or ${isAmong('new')})` : ''}`
}
const moved = ['is_closed', 'updated_unix', ...new Set(sorts.flatMap(({ columns }) => columns))]
/** By these the database computes the date that lists go by. */
const causesOfDates = ['due_unix', 'milestone_id']

/** All that is there of a repository, in cells of the width that it was given. */
const countAll = count(
  cellsOf(sorts, 'issue', '', `${widthOf('new.repo_id', false, ' cross join issue')} and issue.repo_id = kept.repo_id`),
)
const countAllComments = count(
  commentCells(
    'comment',
    '',
    `${widthOf('new.repo_id', true, ' cross join comment')} and comment.repo_id = kept.repo_id and comment.type = 'comment'`,
  ),
)
/** Cells of a greater width are put together of those that there are. */
const widen = (ofComments: boolean): string => {
  const shift = '(new.cell_bits - old.cell_bits)'
  const isOld = `repo_id = new.repo_id and sort in (${namesOf(ofComments)}) and bits = old.cell_bits`
  return `insert into ${target} select repo_id, sort, new.cell_bits, y >> ${shift},
      case when sort = 'comments' then x else x >> ${shift} end, shard, ${sums.join(', ')}
    from issue_cell where ${isOld} group by 1, 2, 3, 4, 5, 6 having ${isAny};
    delete from issue_cell where ${isOld};`
}

/** An order has too many cells when there are more than so many: twice what a repository has to begin with. */
const tooManyCells = 2 * mostCells
/** Whether there are is looked at with each row whose id is a multiple of this: what grows fast does not wait for a day. */
const lookedAtEach = 4096
const isLookedAt = (row: string): string => `${row}.id % ${lookedAtEach} = 0`
/** Gives a repository wider cells where it has too many. */
const widenOutgrown = (repo: string, ofComments: boolean, condition: string): string =>
  `update issue_block_repo set cell_bits = cell_bits + 1
    where ${condition} and repo_id ${repo} and of_comments = ${ofComments} and cell_bits < ${mostBits}
      and exists (select 1 from issue_cell as cell where cell.repo_id = issue_block_repo.repo_id
        and cell.sort in (${namesOf(ofComments)}) group by cell.sort having count(*) > ${tooManyCells});`

const widenForMade = (ofComments: boolean): string => `
  if exists (select 1 from made where ${isLookedAt('made')}) then
    ${widenOutgrown(`in (select made.repo_id from made where ${isLookedAt('made')})`, ofComments, 'true')}
  end if;`

/** All cells of a repository are taken away. */
const clear = (ofComments: boolean): string =>
  `delete from issue_cell where repo_id = new.repo_id and sort in (${namesOf(ofComments)});`

/** How many cells of a width there are in a dimension, of the row `issue_block_repo`: blocks tell. */
const spread = (sort: string, bits: number): string =>
  `(select count(*) from (select distinct block >> ${bits - narrowBits} from issue_block
    where issue_block.repo_id = issue_block_repo.repo_id and sort = '${sort}' and level = 1) as each_cell)`
/** The least width with which there are not too many cells. */
const fitting = (x: string, y: string): string => {
  const all = `(select ${counts.map((each) => `coalesce(sum(${each}), 0)`).join(' + ')} from issue_block
    where issue_block.repo_id = issue_block_repo.repo_id and sort = '${x}' and level = 0)`
  const limit = `(select case when total < ${mostCells} then total else ${mostCells} end from (select ${all} as total) as counted)`
  const widths = Array.from({ length: mostBits - leastBits }, (_, index) => leastBits + index)
  return `case ${widths.map((bits) => `when ${spread(x, bits)} * ${spread(y, bits)} <= ${limit} then ${bits}`).join('\n')}
    else ${mostBits} end`
}
/** Gives repositories that are counted the width of their cells, which counts these. */
const fit = (ofComments: boolean, condition: string): string =>
  `update issue_block_repo set cell_bits = ${ofComments ? fitting('comment', 'comment') : fitting('created', 'updated')}
    where of_comments = ${ofComments} and ${condition};`
const fitOne = (ofComments: boolean): string => fit(ofComments, 'repo_id = new.repo_id')

/** PostgreSQL: an issue from one cell to another; a sort that it is not among has none. */
const moveStepwise = ({ name, x, isAmong, shard }: Sort): string => {
  const xOf = (row: Row) => (isAmong ? `case when ${isAmong(row)} then ${x(row, 'width')} end` : x(row, 'width'))
  return `perform move_in_cells(new.repo_id, '${name}', width, ${shard('new')},
    old.updated_unix >> width, ${xOf('old')}, ${kindOf('old')}, new.updated_unix >> width, ${xOf('new')}, ${kindOf('new')});`
}
const take = `update issue_cell set ${byKind('-', 'old_kind').replaceAll('issue_block.', 'issue_cell.')}
  where repo_id = at_repo and sort = at_sort and bits = width and y = old_y and x = old_x and shard = at_shard;`
const add = `insert into ${target}
  values (at_repo, at_sort, width, new_y, new_x, at_shard,
    ${counts.map((_, index) => `case when new_kind = ${index} then 1 else 0 end`).join(', ')}) ${added};`

/** PostgreSQL: issues that a statement made. */
const countMade = `insert into ${target}
  select made.repo_id, cell.sort, kept.cell_bits, made.updated_unix >> kept.cell_bits, cell.x, cell.shard,
    ${counts.map((_, index) => `count(*) filter (where ${kindOf('made')} = ${index})`).join(', ')}
  from made join issue_block_repo as kept on ${isWidthOf('made.repo_id', false)}
    cross join lateral (values ${sorts
      .map(
        ({ name, x, isAmong, shard }) =>
          `('${name}', ${isAmong ? `case when ${isAmong('made')} then ${x('made', 'kept.cell_bits')} end` : x('made', 'kept.cell_bits')}, ${shard('made')})`,
      )
      .join(', ')}) as cell (sort, x, shard)
  where cell.x is not null group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6 ${added};`
/** PostgreSQL: comments that a statement made. */
const countMadeComments = count(
  commentCells(
    'made',
    '',
    `made join issue_block_repo as kept on ${isWidthOf('made.repo_id', true)} where made.type = 'comment'`,
  ),
)

const selectWidth = (repo: string, ofComments: boolean): string =>
  `select kept.cell_bits into width from ${widthOf(repo, ofComments)};`

/**
 * Counts of issues and comments by two things at once: what lists are ordered by, and when they changed last. A deep page of what
 * changed since or before a time sums up the cells of these times, and passes over rows of one part of the order.
 */
export const issues6: Migration = {
  name: 'issues-6',
  statements: [
    `create table issue_cell (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      sort text not null,
      bits integer not null,
      y bigint not null,
      x bigint not null,
      shard integer not null,
      ${counts.map((each) => `${each} integer not null default 0`).join(', ')},
      unique (${key.join(', ')})
    )`,
    // The width of its cells in seconds, as a power of two.
    `alter table issue_block_repo add column cell_bits integer`,
    // Rows of cells that a time cuts are counted by what else they have, and rows of an order are passed over by their time.
    ...[
      [
        'issue_by_updated',
        `${part}, updated_unix, created_unix, id, poster_id, milestone_id, num_comments, listed_due_unix`,
      ],
      ['issue_by_comments', `${part}, num_comments, created_unix, id, poster_id, milestone_id, updated_unix`],
      [
        'issue_by_fewest_comments',
        `${part}, num_comments, created_unix desc, id desc, poster_id, milestone_id, updated_unix`,
      ],
      ['issue_by_due', `${part}, listed_due_unix, created_unix, id, poster_id, milestone_id, updated_unix`],
      [
        'issue_by_nearest_due',
        `${part}, nearest_due_unix, created_unix desc, id desc, poster_id, milestone_id, updated_unix`,
      ],
    ].flatMap(([name, columns]) => [`drop index ${name}`, `create index ${name} on issue (${columns})`]),

    // Who gives a repository a width has all counted; a greater one puts cells together, and none takes them away.
    ...[false, true].flatMap((ofComments) => {
      const of = ofComments ? 'comments' : 'issues'
      return [
        sqlite(`create trigger issue_cell_count_${of} after update of cell_bits on issue_block_repo
          when old.cell_bits is null and new.cell_bits is not null and new.of_comments = ${ofComments} begin
          ${ofComments ? countAllComments : countAll}
        end`),
        sqlite(`create trigger issue_cell_widen_${of} after update of cell_bits on issue_block_repo
          when old.cell_bits < new.cell_bits and new.of_comments = ${ofComments} begin
          ${widen(ofComments)}
        end`),
        sqlite(`create trigger issue_cell_clear_${of} after update of cell_bits on issue_block_repo
          when new.cell_bits is null and new.of_comments = ${ofComments} begin
          ${clear(ofComments)}
        end`),
        sqlite(`drop trigger issue_block_repo_${of}`),
        sqlite(`create trigger issue_block_repo_${of} after insert on issue_block_repo
          when new.of_comments = ${ofComments} begin
          ${ofComments ? countAllBlocksOfComments('new.repo_id') : countAllBlocks('new.repo_id')}
          ${fitOne(ofComments)}
        end`),
      ]
    }),
    postgres(`create function count_cells() returns trigger language plpgsql as $$ begin
        perform ${lock('', 'new.repo_id')};
        if new.cell_bits is null and new.of_comments then
          ${clear(true)}
        elsif new.cell_bits is null then
          ${clear(false)}
        elsif old.cell_bits is null and new.of_comments then
          ${countAllComments}
        elsif old.cell_bits is null then
          ${countAll}
        elsif new.of_comments then
          ${widen(true)}
        else
          ${widen(false)}
        end if;
        return null;
      end $$`),
    postgres(`create trigger issue_cell_count after update of cell_bits on issue_block_repo for each row
      when (new.cell_bits is null or old.cell_bits is null or old.cell_bits < new.cell_bits)
      execute function count_cells()`),
    postgres(`create or replace function count_blocks() returns trigger language plpgsql as $$ begin
        perform ${lock('', 'new.repo_id')};
        if new.of_comments then
          ${countAllBlocksOfComments('new.repo_id')}
          ${fitOne(true)}
        else
          ${countAllBlocks('new.repo_id')}
          ${fitOne(false)}
        end if;
        return null;
      end $$`),
    fit(false, 'true'),
    fit(true, 'true'),

    // An issue with which all begins to be counted is counted with all.
    sqlite(`drop trigger issue_block_insert`),
    sqlite(`create trigger issue_block_insert after insert on issue
      when new."index" >= ${firstNumber} or ${isKept('new.repo_id', false)} begin
      ${widenOutgrown('= new.repo_id', false, isLookedAt('new'))}
      ${countBlocks(blocksOf(blockSorts, 'new', ''), isKept('new.repo_id', false))}
      ${count(cellsOfRow(sorts, 'new', ''))}
      ${begin('new.repo_id', false, `where not ${isKept('new.repo_id', false)}`)}
    end`),
    sqlite(`create trigger issue_cell_delete after delete on issue when ${hasCells('old.repo_id', false)} begin
      ${count(cellsOfRow(sorts, 'old', '-'))}
    end`),
    ...sorts.map((sort) =>
      sqlite(`create trigger issue_cell_${sort.name} after update of is_closed, updated_unix, ${sort.columns.join(', ')} on issue
        when ${isMoved(sort)} and ${hasCells('new.repo_id', false)} begin
        ${count(`${cellsOfRow([sort], 'old', '-')} union all ${cellsOfRow([sort], 'new', '')}`)}
      end`),
    ),
    sqlite(`create trigger comment_cell_insert after update of repo_id on comment
      when new.type = 'comment' and old.repo_id is null and ${hasCells('new.repo_id', true)} begin
      ${widenOutgrown('= new.repo_id', true, isLookedAt('new'))}
      ${count(commentCells('new', ''))}
    end`),
    sqlite(`create trigger comment_cell_update after update of updated_unix on comment
      when new.type = 'comment' and old.repo_id is not null and old.updated_unix <> new.updated_unix
        and ${hasCells('new.repo_id', true)} begin
      ${count(`${commentCells('old', '-')} union all ${commentCells('new', '')}`)}
    end`),
    sqlite(`create trigger comment_cell_delete after delete on comment
      when old.type = 'comment' and ${hasCells('old.repo_id', true)} begin
      ${count(commentCells('old', '-'))}
    end`),

    // Whoever counts waits for blocks first and for cells then, as those do who change something; and, before there is anything
    // that others wait for, for all who write, where cells are widened.
    postgres(`create or replace function block_new_issues() returns trigger language plpgsql as $$
      ${ofNewIssues(`${widenForMade(false)} ${countMadeBlocks} ${countMade}`)} $$`),
    postgres(`create or replace function block_new_comments() returns trigger language plpgsql as $$
      ${ofNewComments(`${widenForMade(true)} ${countMadeBlocksOfComments} ${countMadeComments}`)} $$`),
    postgres(`create function cell_gone() returns trigger language plpgsql as $$ begin
        perform ${lock('_shared', 'old.repo_id')};
        if tg_table_name = 'comment' then
          ${count(commentCells('old', '-'))}
        else
          ${count(cellsOfRow(sorts, 'old', '-'))}
        end if;
        return null;
      end $$`),
    postgres(`create trigger issue_cell_delete after delete on issue for each row execute function cell_gone()`),
    postgres(`create trigger comment_cell_delete after delete on comment for each row when (old.type = 'comment')
      execute function cell_gone()`),
    // An x that is null is none. Who waits for another does so for the earlier cell first.
    postgres(`create function move_in_cells(at_repo bigint, at_sort text, width integer, at_shard bigint,
        old_y bigint, old_x bigint, old_kind integer, new_y bigint, new_x bigint, new_kind integer)
      returns void language plpgsql as $$ begin
        if old_y = new_y and old_x = new_x and old_kind = new_kind then
          return;
        end if;
        if old_x is not null and (new_x is null or (old_y, old_x) <= (new_y, new_x)) then
          ${take}
        end if;
        if new_x is not null then
          ${add}
        end if;
        if (old_y, old_x) > (new_y, new_x) then
          ${take}
        end if;
      end $$`),
    postgres(`create function cell_issue() returns trigger language plpgsql as $$
      declare width integer;
      begin
        perform ${lock('_shared', 'new.repo_id')};
        ${selectWidth('new.repo_id', false)}
        if width is null then
          return null;
        end if;
        ${sorts.map((sort) => `if ${isMoved(sort)} then ${moveStepwise(sort)} end if;`).join('\n')}
        return null;
      end $$`),
    // It goes by what a statement names, not by what changes with it.
    postgres(`create trigger issue_cell_update after update of ${[...moved, ...causesOfDates].join(', ')}
      on issue for each row when (${moved.map((column) => `old.${column} <> new.${column}`).join(' or ')}) execute function cell_issue()`),
    postgres(`create function cell_comment() returns trigger language plpgsql as $$ begin
        perform ${lock('_shared', 'new.repo_id')};
        ${count(`${commentCells('old', '-')} union all ${commentCells('new', '')}`)}
        return null;
      end $$`),
    postgres(`create trigger comment_cell_update after update of updated_unix on comment for each row
      when (new.type = 'comment' and new.repo_id is not null and old.updated_unix <> new.updated_unix)
      execute function cell_comment()`),
  ],
}
