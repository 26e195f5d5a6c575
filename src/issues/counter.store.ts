import { sql } from 'kysely'
import type { Counter } from '../access/contributions/counter.ts'

/** Counts of issues in repositories, labels and milestones. */
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
]
