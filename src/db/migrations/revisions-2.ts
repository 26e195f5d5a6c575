import type { Migration } from './migration.ts'

const isComment = (row: 'old' | 'new'): string => `${row}.type = 'comment'`
const ofIssue = (row: 'old' | 'new'): string =>
  `update row_revision set revision = revision + 1 where table_name = 'issue' and row_id = ${row}.issue_id;`

/**
 * What is written of a comment raises the revision of its issue, as labels, assignees and files do. PostgreSQL does it at the end
 * of the transaction: who writes a comment and then its issue must not wait for somebody who does so the other way round.
 */
export const revisions2: Migration = {
  name: 'revisions-2',
  statements: [
    ...(
      [
        ['insert', ['new'], isComment('new')],
        // A new one is written once more, when it is told where it lies (`scale-1`).
        ['update', ['old', 'new'], `(${isComment('old')} or ${isComment('new')})`],
        ['delete', ['old'], isComment('old')],
      ] as const
    ).map(([event, rows, condition]) => ({
      sqlite: `create trigger comment_revision_${event} after ${event} on comment
        when ${condition}${event === 'update' ? ' and old.repo_id is not null' : ''}
        begin ${rows.map(ofIssue).join(' ')} end`,
      postgres: `create constraint trigger comment_revision_${event} after ${event} on comment
        deferrable initially deferred for each row when (${condition}) execute function count_issue_revision()`,
    })),
  ],
}
