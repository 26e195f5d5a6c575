import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { hasRow } from '../db/rows.ts'
import type { IssueRow } from '../db/tables/issues.ts'

/** Name of the journal effect that records a merge; the subject of an entry is this name and the pull request's id. */
export const mergeEffectName = 'pullMerge'

/**
 * Returns whether the merge of a pull request has begun and is not recorded yet. The journal entry of the merge is the
 * claim: from then on git may move the base, so the pull request can be neither closed nor taken off its schedule.
 */
export const isMergeUnderWay = (tx: Tx, issue: Pick<IssueRow, 'id' | 'repo_id'>): Promise<boolean> =>
  hasRow(
    tx
      .selectFrom('ref_journal')
      .innerJoin('pull', (join) =>
        join.on('ref_journal.subject', '=', sql<string>`${sql.lit(`${mergeEffectName} `)} || ${sql.ref('pull.id')}`),
      )
      .where('pull.issue_id', '=', issue.id)
      .where('ref_journal.repo_id', '=', issue.repo_id),
  )
