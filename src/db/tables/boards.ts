import type { Selectable, Updateable } from 'kysely'
import type { IssueId, RepoId, SavedViewId, UserId } from '../../lib/ids.ts'
import { bigint, id, nullable, ref, table, text, unix, type TablesOf } from '../table.ts'

export const viewLayouts = ['list', 'board', 'timeline'] as const
export type ViewLayout = (typeof viewLayouts)[number]

/** What the columns of a view are values of; `none`: it has one list. */
export const viewGroupings = ['none', 'state', 'milestone', 'assignee', 'label'] as const
export type ViewGrouping = (typeof viewGroupings)[number]

export const boardTables = {
  /** A saved view of a repository, or of an organization or person; exactly one of the two ids is set. */
  saved_view: table(
    {
      id: id<SavedViewId>(),
      repo_id: nullable(ref<RepoId>('repo', 'cascade')),
      owner_id: nullable(ref<UserId>('user', 'cascade')),
      title: text(),
      description: text(''),
      /** In the language of issue lists (`issues/search/query.parse.ts`). */
      query: text(),
      layout: text<ViewLayout>(),
      grouping: text<ViewGrouping>(),
      /** The scope of exclusive labels, such as `status` of `status/…`, when `grouping` is `label`; otherwise empty. */
      label_scope: text(''),
      /** A JSON list of the values of columns that come first, in this order. */
      column_order: text('[]'),
      created_unix: unix(),
      updated_unix: unix(),
    },
    {
      indexes: {
        saved_view_repo: '(repo_id, id) where repo_id is not null',
        saved_view_owner: '(owner_id, id) where owner_id is not null',
      },
    },
  ),

  /** The place of a card that somebody put somewhere in a view. Cards without a row follow in the order of the query. */
  saved_view_card: table(
    {
      view_id: ref<SavedViewId>('saved_view', 'cascade'),
      issue_id: ref<IssueId>('issue', 'cascade'),
      /** Smaller ones come first. */
      rank: bigint(),
    },
    {
      primaryKey: ['view_id', 'issue_id'],
      indexes: { saved_view_card_rank: '(view_id, rank)', saved_view_card_issue: '(issue_id)' },
    },
  ),
}

export type BoardTables = TablesOf<typeof boardTables>
export type SavedViewRow = Selectable<BoardTables['saved_view']>
export type SavedViewChange = Updateable<BoardTables['saved_view']>
