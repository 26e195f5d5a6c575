import type { Ctx, SignedInCtx } from '../../access/context.ts'
import type { SavedViewRow } from '../../db/tables/boards.ts'
import { findBegin, followFeed, type FeedFilter, type FeedItem } from '../../feed/feed.service.ts'
import { eventStream, type StreamMessage } from '../../http/event-stream.ts'
import { bytesOf, operation, validBody, type AnyRequirement } from '../../http/operation.ts'
import { pathNumber, requestObject } from '../../http/schema.ts'
import { moveCard } from '../../boards/move.service.ts'
import {
  createView,
  deleteView,
  editView,
  getAllViews,
  getView,
  type ViewHome,
} from '../../boards/saved-view.service.ts'
import type { SavedViewInput } from '../../boards/saved-view.rules.ts'
import { inBrowser, inSession, ownForm } from '../shell/browser.requirements.ts'
import { act, page, type Frame } from '../shell/page.tsx'
import { refresh } from '../shell/refresh.ts'
import { csrfName } from '../ui/page-context.ts'
import { boardTexts as texts } from '../languages/texts.ts'
import { integer, text } from '../ui/fields.ts'
import { loadView, type ViewPlace } from './view-place.ts'
import { ViewView } from './view.view.tsx'
import { ViewFormView, ViewsView } from './views.view.tsx'

/** What has views: a repository, an organization or a person. */
interface ViewsHolder<Rs extends readonly AnyRequirement[]> {
  /** Address of the list. The other pages are below it. */
  readonly path: string
  /** What the ids of the API's operations on these views begin with. */
  readonly twins: 'repo' | 'org' | 'user'
  /** Checked before each page. */
  readonly requires: Rs
  /** Checked before a change, after `requires` and the session. */
  readonly toChange: readonly AnyRequirement[]
  readonly placeOf: (ctx: never) => ViewPlace
  readonly frame: Frame<never>
}

const fields = {
  title: text,
  description: text,
  query: text,
  layout: text,
  grouping: text,
  label_scope: text,
  columns: text,
} as const

const inputOf = (body: Readonly<Partial<Record<keyof typeof fields, string>>>): SavedViewInput => ({
  title: body.title ?? '',
  description: body.description ?? '',
  query: body.query ?? '',
  layout: body.layout,
  grouping: body.grouping,
  labelScope: body.label_scope ?? '',
  // The last line has an end, or the field is empty.
  columns: (body.columns ?? '').trim() === '' ? [] : (body.columns ?? '').replace(/\r?\n$/, '').split(/\r?\n/),
})

/** Parts of pages that scripts ask for. They reveal nothing that the pages around them hide. */
const part = { base: 'site', scope: null, accepts: ['session'] } as const

const PlaceForm = requestObject('PlaceForm', {
  issue: integer,
  column: text,
  from: text,
  /** Id of the issue before it, or 0. */
  after: integer,
  [csrfName]: text,
})

/** Events that one read returns. */
const readAtOnce = 20

/** Returns which events may concern a view. */
const filterOf = (home: ViewHome): FeedFilter =>
  home.of === 'repository' ? { repoId: home.at.repo.id } : home.of === 'organization' ? { ownerId: home.org.id } : {}

async function* refreshes(
  { viewer }: SignedInCtx,
  { id }: SavedViewRow,
  items: AsyncIterable<FeedItem>,
): AsyncGenerator<StreamMessage> {
  for await (const item of items) {
    if (item.kind !== 'entry' || item.entry.event.actorId === viewer.id) continue
    const { event } = item.entry
    if (event.issueId !== undefined || ('viewId' in event.data && event.data.viewId === id)) yield refresh
  }
}

/** Declares the pages of the saved views of a place, and what their forms do. */
export function viewPages<const Rs extends readonly AnyRequirement[]>(holder: ViewsHolder<Rs>) {
  const { path, twins } = holder
  // Inside, only what each place has in common is known of a context.
  const requires = holder.requires as unknown as readonly []
  const toChange = holder.toChange as unknown as readonly []
  const frame = holder.frame as Frame<Ctx>
  const placeOf = holder.placeOf as unknown as (ctx: Ctx) => ViewPlace
  const params = { id: pathNumber }
  const changing = [...requires, ...toChange] as const
  const titleOf = ({ name }: ViewPlace): string => (name === '' ? texts.title : texts.titleOf(name))

  const listPage = page({
    path,
    twin: `${twins}ListViews`,
    cost: 'usual',
    requires,
    frame,
    async load({ ctx }) {
      const place = placeOf(ctx)
      return { place, views: await getAllViews(ctx, place.home) }
    },
    meta: ({ place }) => ({ title: titleOf(place), isUnlisted: place.home.of === 'person' }),
    view: ViewsView,
  })
  const newPage = page({
    path: `${path}/new`,
    twin: `${twins}CreateView`,
    cost: 'usual',
    requires: [inSession, ...changing],
    query: { q: text },
    frame,
    load: async ({ ctx, query }) => ({ place: placeOf(ctx), view: undefined, query: query.q }),
    meta: () => ({ title: texts.create, isUnlisted: true }),
    view: ViewFormView,
  })
  const create = act({
    path: `${path}/new`,
    twin: `${twins}CreateView`,
    cost: 'usual',
    requires: changing,
    fields,
    again: newPage,
    problemFields: { view_scope_missing: 'label_scope' },
    async run({ ctx, body }) {
      const place = placeOf(ctx)
      const view = await createView(ctx, place.home, inputOf(body))
      return { to: `${place.path}/${view.id}`, notice: texts.created(view.title) }
    },
  })
  const viewPage = page({
    path: `${path}/{id}`,
    twin: `${twins}ListViewColumns`,
    cost: 'usual',
    requires,
    params,
    query: { column: text, page: integer, card: integer },
    frame,
    isWide: true,
    async load({ ctx, params: { id }, query }) {
      const place = placeOf(ctx)
      // Read before the issues, so that no change falls between them and the stream.
      const seen = ctx.viewer ? await findBegin(ctx.db, undefined) : undefined
      return { ...(await loadView(ctx, place, await getView(ctx, place.home, id), query)), seen }
    },
    meta: ({ view, place }) => ({
      title: `${view.title} · ${titleOf(place)}`,
      description: view.description,
      isUnlisted: place.home.of === 'person',
      withFurtherStyles: true,
    }),
    view: ViewView,
  })
  const editPage = page({
    path: `${path}/{id}/edit`,
    twin: `${twins}EditView`,
    cost: 'usual',
    requires: [inSession, ...changing],
    params,
    frame,
    async load({ ctx, params: { id } }) {
      const place = placeOf(ctx)
      return { place, view: await getView(ctx, place.home, id), query: undefined }
    },
    meta: ({ view }) => ({ title: texts.editOf(view.title), isUnlisted: true }),
    view: ViewFormView,
  })
  const edit = act({
    path: `${path}/{id}/edit`,
    edits: true,
    twin: `${twins}EditView`,
    cost: 'usual',
    requires: changing,
    params,
    fields,
    again: editPage,
    problemFields: { view_scope_missing: 'label_scope' },
    async run({ ctx, params: { id }, body }) {
      const place = placeOf(ctx)
      const edited = await editView(ctx, place.home, await getView(ctx, place.home, id), inputOf(body))
      return { to: `${place.path}/${id}`, notice: texts.saved(edited.title) }
    },
  })
  const remove = act({
    path: `${path}/{id}/delete`,
    twin: `${twins}DeleteView`,
    cost: 'usual',
    requires: changing,
    params,
    async run({ ctx, params: { id } }) {
      const place = placeOf(ctx)
      const view = await getView(ctx, place.home, id)
      await deleteView(ctx, place.home, view)
      return { to: place.path, notice: texts.deleted(view.title) }
    },
  })
  const move = act({
    path: `${path}/{id}/move`,
    twin: `${twins}MoveViewCard`,
    cost: 'usual',
    requires: changing,
    params,
    fields: {
      issue: integer,
      column: text,
      from: text,
      place: text,
      card: integer,
    },
    again: viewPage,
    againQuery: ['card'],
    async run({ ctx, params: { id }, body }) {
      const place = placeOf(ctx)
      await moveCard(ctx as SignedInCtx, place.home, await getView(ctx, place.home, id), {
        issueId: body.issue ?? 0,
        column: body.column,
        from: body.from,
        after: body.place === 'last' ? 'all' : 0,
      })
      return { to: `${place.path}/${id}`, notice: texts.isMoved }
    },
  })
  /** Takes a move of the script, which has shown it already. */
  const place = operation({
    ...part,
    method: 'POST',
    path: `${path}/{id}/cards`,
    cost: 'usual',
    refuses: [409, 412, 423],
    requires: [inBrowser, inSession, ...changing, validBody, ownForm],
    params,
    body: PlaceForm,
    reply: { 204: 'empty' },
    async run({ ctx, params: { id }, body }) {
      const { home } = placeOf(ctx)
      const { issue = 0, column, from, after } = body
      await moveCard(ctx, home, await getView(ctx, home, id), { issueId: issue, column, from, after })
    },
  })
  /** Tells the page of a view when somebody else has changed an issue or the view. */
  const follow = operation({
    ...part,
    method: 'GET',
    path: `${path}/{id}/live`,
    cost: 'waiting',
    requires: [inBrowser, inSession, ...requires],
    params,
    query: {
      /** The position of the events that the page shows. */
      seen: integer,
    },
    reply: { 200: bytesOf('text/event-stream') },
    async run({ ctx, params: { id }, query, call }) {
      const { home } = placeOf(ctx)
      const view = await getView(ctx, home, id)
      const now = await findBegin(ctx.db, undefined)
      const after = Math.min(query.seen ?? now, now) as typeof now
      const open = followFeed(ctx, filterOf(home), { after, limit: readAtOnce })
      return eventStream((signal) => refreshes(ctx, view, open(signal)), call)
    },
  })
  return { listPage, newPage, create, viewPage, editPage, edit, remove, move, place, follow }
}
