import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Counter } from '../access/counter.ts'

const isCounted = sql`issue.repo_id = it.repo_id and issue.is_pull = it.is_pull and issue.is_closed = it.is_closed`
const paired = (table: string, column: string) => sql`(select count(*) from ${sql.table(table)} as pair
  join issue on issue.id = pair.issue_id where ${sql.ref(`pair.${column}`)} = it.key_id and ${isCounted})`

const tallyColumns = ['repo_id', 'facet', 'key_id', 'is_pull', 'is_closed']
const pairsOf = (facet: string, table: string, column: string, condition: RawBuilder<SqlBool>) => sql`
  select each.repo_id, ${sql.lit(facet)}, ${sql.ref(`pair.${column}`)}, each.is_pull, each.is_closed
    from issue as each join ${sql.table(table)} as pair on pair.issue_id = each.id where ${condition}`

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
]
