import type { MilestoneRow } from '../../db/tables/issues.ts'
import { formatOptionalUnix, formatUnix } from '../../lib/time.ts'
import type { Milestone } from './milestone.schemas.ts'

/** `closed_at` is null unless the milestone is closed. */
export const presentMilestone = (row: MilestoneRow): Milestone => ({
  id: row.id,
  title: row.title,
  description: row.content,
  state: row.is_closed ? 'closed' : 'open',
  open_issues: row.num_issues - row.num_closed_issues,
  closed_issues: row.num_closed_issues,
  created_at: formatUnix(row.created_unix),
  updated_at: formatUnix(row.updated_unix),
  closed_at: row.is_closed ? formatOptionalUnix(row.closed_unix) : null,
  due_on: formatOptionalUnix(row.due_unix),
})
