import { sql } from 'kysely'
import type { Counter } from '../access/counter.ts'

const isCounted = sql`issue.repo_id = it.repo_id and issue.is_pull = it.is_pull and issue.is_closed = it.is_closed`
const paired = (table: string, column: string) => sql`(select count(*) from ${sql.table(table)} as pair
  join issue on issue.id = pair.issue_id where ${sql.ref(`pair.${column}`)} = it.key_id and ${isCounted})`

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
  },
]
