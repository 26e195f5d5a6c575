import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Counter } from '../access/counter.ts'
import type { BlockSort } from '../db/tables/issues.ts'
import { blockBits, blockShards } from './block.store.ts'

const isCounted = sql`issue.repo_id = it.repo_id and issue.is_pull = it.is_pull and issue.is_closed = it.is_closed`
const paired = (table: string, column: string) => sql`(select count(*) from ${sql.table(table)} as pair
  join issue on issue.id = pair.issue_id where ${sql.ref(`pair.${column}`)} = it.key_id and ${isCounted})`

const tallyColumns = ['repo_id', 'facet', 'key_id', 'is_pull', 'is_closed']
const pairsOf = (facet: string, table: string, column: string, condition: RawBuilder<SqlBool>) => sql`
  select each.repo_id, ${sql.lit(facet)}, ${sql.ref(`pair.${column}`)}, each.is_pull, each.is_closed
    from issue as each join ${sql.table(table)} as pair on pair.issue_id = each.id where ${condition}`

const lit = (value: string | number | boolean) => sql.lit(value)
const { wide, narrow } = blockBits
const blockColumns = ['repo_id', 'sort', 'level', 'block', 'shard']

/** Whether the issues or the comments of a repository are counted by blocks: only where there are many. */
const isKept = (ofComments: boolean): RawBuilder<SqlBool> =>
  sql`each.repo_id in (select repo_id from issue_block_repo where of_comments = ${lit(ofComments)})`

/** That a time belongs to the block `it`. */
const isInBlock = (unix: string) => {
  const bits = sql`(case it.level when 0 then ${lit(wide)} else ${lit(narrow)} end)`
  return sql`${sql.ref(unix)} >= (it.block << ${bits}) and ${sql.ref(unix)} < ((it.block + 1) << ${bits})`
}

/** How many issues or comments of a kind and state belong to the block `it`. */
function inBlock(isPull: boolean, isClosed: boolean): RawBuilder<number> {
  const issues = sql`select count(*) from issue where issue.repo_id = it.repo_id
    and issue.is_pull = ${lit(isPull)} and issue.is_closed = ${lit(isClosed)}`
  const comments = sql`select count(*) from comment where comment.repo_id = it.repo_id
    and comment.is_of_pull = ${lit(isPull)} and comment.type = 'comment'`
  const isOfShard = (id: string) => sql`${sql.ref(id)} % ${lit(blockShards)} = it.shard`
  return sql<number>`case it.sort
    when 'created' then (${issues} and ${isInBlock('issue.created_unix')})
    when 'updated' then (${issues} and ${isInBlock('issue.updated_unix')} and ${isOfShard('issue.id')})
    when 'due' then (${issues} and ${isInBlock('issue.listed_due_unix')} and issue.listed_due_unix <> 0)
    when 'dated' then (${issues} and ${isInBlock('issue.created_unix')} and issue.listed_due_unix <> 0)
    when 'comment' then ${isClosed ? lit(0) : sql`(${comments} and ${isInBlock('comment.created_unix')} and ${isOfShard('comment.issue_id')})`}
    else (${issues} and issue.num_comments = it.block and ${isOfShard('issue.id')}) end`
}

type BlockPlace = readonly [
  sort: BlockSort,
  level: number,
  block: RawBuilder<unknown>,
  shard: RawBuilder<unknown>,
  isAmong: RawBuilder<unknown>,
]

/** The blocks that issues have to have, those of times on both levels. */
function blocksOfIssues(condition: RawBuilder<SqlBool>): RawBuilder<unknown> {
  const shard = sql`each.id % ${lit(blockShards)}`
  const isDated = sql`and each.listed_due_unix <> 0`
  const places: readonly BlockPlace[] = [
    ...[wide, narrow].flatMap((bits, level): BlockPlace[] => [
      ['created', level, sql`each.created_unix >> ${lit(bits)}`, lit(0), sql``],
      ['updated', level, sql`each.updated_unix >> ${lit(bits)}`, shard, sql``],
      ['due', level, sql`each.listed_due_unix >> ${lit(bits)}`, lit(0), isDated],
      ['dated', level, sql`each.created_unix >> ${lit(bits)}`, lit(0), isDated],
    ]),
    ['comments', 0, sql`each.num_comments`, shard, sql``],
  ]
  const rows = places.map(
    ([sort, level, block, ofShard, isAmong]) => sql`select each.repo_id, ${lit(sort)} as sort, ${lit(level)} as level,
      ${block} as block, ${ofShard} as shard from issue as each where ${condition} ${isAmong} and ${isKept(false)}`,
  )
  return sql`${sql.join(rows, sql` union all `)}`
}

const blocksOfComments = (condition: RawBuilder<SqlBool>): RawBuilder<unknown> =>
  sql.join(
    [wide, narrow].map(
      (bits, level) => sql`select each.repo_id, 'comment' as sort, ${lit(level)} as level,
        each.created_unix >> ${lit(bits)} as block, each.issue_id % ${lit(blockShards)} as shard
        from comment as each where ${condition} and each.type = 'comment' and ${isKept(true)}`,
    ),
    sql` union all `,
  )

const blockCounts = {
  open_issues: [false, false],
  closed_issues: [false, true],
  open_pulls: [true, false],
  closed_pulls: [true, true],
} as const

/** Counts of issues, in repositories, labels and milestones, and by what they have. */
export const issueCounters: readonly Counter[] = [
  {
    table: 'repo',
    column: 'num_issues',
    count: sql`(select count(*) from issue where issue.repo_id = it.id and not issue.is_pull)`,
  },
  {
    table: 'repo',
    column: 'num_closed_issues',
    count: sql`(select count(*) from issue where issue.repo_id = it.id and not issue.is_pull and issue.is_closed)`,
  },
  {
    table: 'repo',
    column: 'num_pulls',
    count: sql`(select count(*) from issue where issue.repo_id = it.id and issue.is_pull)`,
  },
  {
    table: 'repo',
    column: 'num_closed_pulls',
    count: sql`(select count(*) from issue where issue.repo_id = it.id and issue.is_pull and issue.is_closed)`,
  },
  {
    table: 'label',
    column: 'num_issues',
    count: sql`(select count(*) from issue_label where issue_label.label_id = it.id)`,
  },
  {
    table: 'label',
    column: 'num_closed_issues',
    count: sql`(select count(*) from issue_label join issue on issue.id = issue_label.issue_id
      where issue_label.label_id = it.id and issue.is_closed)`,
  },
  {
    table: 'milestone',
    column: 'num_issues',
    count: sql`(select count(*) from issue where issue.milestone_id = it.id)`,
  },
  {
    table: 'milestone',
    column: 'num_closed_issues',
    count: sql`(select count(*) from issue where issue.milestone_id = it.id and issue.is_closed)`,
  },
  {
    table: 'issue_tally',
    column: 'total',
    count: sql`case it.facet
      when 'poster' then (select count(*) from issue where issue.poster_id = it.key_id and ${isCounted})
      when 'milestone' then (select count(*) from issue where issue.milestone_id = it.key_id and ${isCounted})
      when 'label' then ${paired('issue_label', 'label_id')}
      when 'assignee' then ${paired('issue_assignee', 'user_id')}
      when 'mentioned' then ${paired('issue_mention', 'user_id')}
      else (select count(*) from comment where comment.repo_id = it.repo_id and comment.is_of_pull = it.is_pull
        and comment.type = 'comment' and comment.issue_id % 8 = it.key_id) end`,
    expected: [
      {
        of: 'issue',
        columns: tallyColumns,
        keys: (condition) => sql`
          select each.repo_id, 'poster' as facet, each.poster_id as key_id, each.is_pull, each.is_closed
            from issue as each where ${condition} and each.poster_id is not null
          union all select each.repo_id, 'milestone', each.milestone_id, each.is_pull, each.is_closed
            from issue as each where ${condition} and each.milestone_id is not null
          union all ${pairsOf('label', 'issue_label', 'label_id', condition)}
          union all ${pairsOf('assignee', 'issue_assignee', 'user_id', condition)}
          union all ${pairsOf('mentioned', 'issue_mention', 'user_id', condition)}`,
      },
      {
        of: 'comment',
        columns: tallyColumns,
        keys: (condition) => sql`
          select each.repo_id, 'comment' as facet, each.issue_id % 8 as key_id, each.is_of_pull as is_pull, false as is_closed
            from comment as each where ${condition} and each.type = 'comment'`,
      },
    ],
  },
  ...Object.entries(blockCounts).map(([column, [isPull, isClosed]]): Counter => {
    const counter = { table: 'issue_block', column, count: inBlock(isPull, isClosed) }
    // What is missing is made once, and then counted by each.
    return column === 'open_issues'
      ? {
          ...counter,
          expected: [
            { of: 'issue', columns: blockColumns, keys: blocksOfIssues },
            { of: 'comment', columns: blockColumns, keys: blocksOfComments },
          ],
        }
      : counter
  }),
]
