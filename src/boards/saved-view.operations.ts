import { Type } from 'typebox'
import { anyHolder, type Holder } from '../access/holder.ts'
import { signedIn } from '../access/requirements.ts'
import { operation, validBody, type AnyRequirement } from '../http/operation.ts'
import { created, ok, paged } from '../http/reply.ts'
import { pageQuery, pathNumber } from '../http/schema.ts'
import { presentIssueList } from '../issues/lists/list.present.ts'
import { Issue } from '../issues/issue.schemas.ts'
import { pageOf } from '../lib/paging.ts'
import { getBoard, listedCards } from './board.service.ts'
import { moveCard } from './move.service.ts'
import { presentView } from './saved-view.present.ts'
import {
  CreateSavedViewOption,
  EditSavedViewOption,
  MoveSavedViewCardOption,
  SavedView,
  SavedViewColumn,
} from './saved-view.schemas.ts'
import { createView, deleteView, editView, getView, getViews, type ViewHome } from './saved-view.service.ts'

interface ViewHolder<Rs extends readonly AnyRequirement[]> extends Holder<Rs, ViewHome> {
  /** Checked after `requires` and the signing in before a view changes, and before its cards move. */
  readonly toChange: readonly AnyRequirement[]
  /** What the summaries end with, such as `of a repository`. */
  readonly whose: string
}

/** Declares the operations of the saved views of a repository, an organization or a person. */
export function viewOperations<const Rs extends readonly AnyRequirement[]>(holder: ViewHolder<Rs>) {
  const { path, scope, requires, ownerOf } = anyHolder(holder)
  const { whose } = holder
  const changing = [...requires, signedIn, ...(holder.toChange as readonly (typeof signedIn)[])] as const
  const one = { path: `${path}/{id}`, params: { id: pathNumber }, scope } as const

  const list = operation({
    method: 'GET',
    path,
    cost: 'usual',
    scope,
    requires,
    query: pageQuery,
    reply: { 200: Type.Array(SavedView) },
    summary: `List the saved views ${whose}`,
    async run({ ctx, query }) {
      const page = pageOf(query, ctx.config.api)
      const home = ownerOf(ctx)
      const { rows, total } = await getViews(ctx, home, page)
      return paged(
        rows.map((row) => presentView(ctx, home, row)),
        page,
        total,
      )
    },
  })
  const create = operation({
    method: 'POST',
    path,
    cost: 'usual',
    scope,
    requires: [...changing, validBody],
    body: CreateSavedViewOption,
    reply: { 201: SavedView },
    summary: `Save a view ${whose}: a query of issues with a layout and what its columns are values of`,
    async run({ ctx, body }) {
      const home = ownerOf(ctx)
      return created(presentView(ctx, home, await createView(ctx, home, { ...body, labelScope: body.label_scope })))
    },
  })
  const get = operation({
    ...one,
    method: 'GET',
    cost: 'usual',
    requires,
    reply: { 200: SavedView },
    summary: `Get a saved view ${whose}`,
    async run({ ctx, params }) {
      const home = ownerOf(ctx)
      return ok(presentView(ctx, home, await getView(ctx, home, params.id)))
    },
  })
  const edit = operation({
    ...one,
    method: 'PATCH',
    cost: 'usual',
    requires: [...changing, validBody],
    body: EditSavedViewOption,
    reply: { 200: SavedView },
    summary: `Change a saved view ${whose}`,
    async run({ ctx, params, body }) {
      const home = ownerOf(ctx)
      const view = await getView(ctx, home, params.id)
      const edited = await editView(ctx, home, view, { ...body, labelScope: body.label_scope })
      return ok(presentView(ctx, home, edited))
    },
  })
  const remove = operation({
    ...one,
    method: 'DELETE',
    cost: 'usual',
    requires: changing,
    reply: { 204: 'empty' },
    summary: `Delete a saved view ${whose}`,
    async run({ ctx, params }) {
      const home = ownerOf(ctx)
      await deleteView(ctx, home, await getView(ctx, home, params.id))
    },
  })
  const listColumns = operation({
    ...one,
    path: `${one.path}/columns`,
    method: 'GET',
    cost: 'usual',
    requires,
    reply: { 200: Type.Array(SavedViewColumn) },
    summary: `List the columns of a saved view ${whose}, with the number of their issues among the first 1,000`,
    async run({ ctx, params }) {
      const home = ownerOf(ctx)
      const { columns } = await getBoard(ctx, home, await getView(ctx, home, params.id))
      return ok(columns.map(({ value, cards }) => ({ value, count: cards.length })))
    },
  })
  const listIssues = operation({
    ...one,
    path: `${one.path}/issues`,
    method: 'GET',
    cost: 'usual',
    requires,
    query: { ...pageQuery, column: Type.Optional(Type.String()) },
    reply: { 200: Type.Array(Issue) },
    summary: `List the issues and pull requests of a saved view ${whose}, or of one column; the first 1,000 that match`,
    async run({ ctx, params, query }) {
      const home = ownerOf(ctx)
      const page = pageOf(query, ctx.config.api)
      const board = await getBoard(ctx, home, await getView(ctx, home, params.id))
      const cards = listedCards(board, query.column)
      const keys = cards.slice(page.offset, page.offset + page.limit)
      const bound = board.isWhole ? undefined : ('rows' as const)
      return paged(await presentIssueList(ctx, keys), page, cards.length, { bound })
    },
  })
  const move = operation({
    ...one,
    path: `${one.path}/moves`,
    method: 'POST',
    cost: 'usual',
    refuses: [409, 412, 423],
    requires: [...changing, validBody],
    body: MoveSavedViewCardOption,
    reply: { 204: 'empty' },
    summary: `Move an issue of a saved view ${whose} to a column, and behind another issue`,
    async run({ ctx, params, body }) {
      const home = ownerOf(ctx)
      const view = await getView(ctx, home, params.id)
      await moveCard(ctx, home, view, {
        issueId: body.issue,
        column: body.column,
        from: body.from,
        after: body.after,
      })
    },
  })
  return { list, create, get, edit, remove, listColumns, listIssues, move }
}
