import type { Db } from '../../db/database.ts'
import type { CommentRow } from '../../db/tables/issues.ts'
import { pluck } from '../../lib/pluck.ts'
import { loadTeams } from '../../orgs/team.store.ts'
import { loadIssues, loadMilestones } from '../issue.store.ts'
import { loadLabels } from '../labels/label.store.ts'
import { loadTimes } from '../time/time.store.ts'

/** Loads the labels, milestones, times, issues and teams that timeline entries name, with one statement for each kind. */
export async function loadNamedRows(db: Db, rows: readonly CommentRow[]) {
  const [labels, milestones, times, issues, teams] = await Promise.all([
    loadLabels(db, pluck(rows, 'label_id')),
    loadMilestones(
      db,
      rows.flatMap((row) => [row.milestone_id, row.old_milestone_id]),
    ),
    loadTimes(db, pluck(rows, 'time_id')),
    loadIssues(
      db,
      rows.flatMap((row) => [row.ref_issue_id, row.dependent_issue_id]),
    ),
    loadTeams(db, [...new Set(rows.flatMap((row) => row.assignee_team_id ?? []))]),
  ])
  return { labels, milestones, times, issues, teams }
}
