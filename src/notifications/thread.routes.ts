import { Type, type Static, type TObject } from 'typebox'
import type { SignedInCtx } from '../access/context.ts'
import { inRepo } from '../access/repo.requirements.ts'
import { signedIn } from '../access/requirements.ts'
import type { ThreadRow } from '../db/tables/notifications.ts'
import { operation } from '../http/operation.ts'
import { ok, paged, resetContent } from '../http/reply.ts'
import { pageQuery, pathNumber } from '../http/schema.ts'
import { NotFound } from '../lib/errors.ts'
import type { RepoId } from '../lib/ids.ts'
import { pageOf } from '../lib/paging.ts'
import { presentThread, presentThreads } from './thread.present.ts'
import { NotificationCount, NotificationThread } from './thread.schemas.ts'
import {
  countUnread,
  getThread,
  getThreads,
  markThread,
  markThreads,
  type MarkQuery,
  type ThreadQuery,
} from './thread.service.ts'

const words = Type.Optional(Type.Array(Type.String()))

const listQuery = {
  all: Type.Optional(Type.Boolean()),
  'status-types': words,
  'subject-type': words,
  since: Type.Optional(Type.String()),
  before: Type.Optional(Type.String()),
  ...pageQuery,
}

const markQuery = {
  all: Type.Optional(Type.Boolean()),
  'status-types': words,
  'to-status': Type.Optional(Type.String()),
  last_read_at: Type.Optional(Type.String()),
}

const listOf = (query: Static<TObject<typeof listQuery>>): ThreadQuery => ({
  all: query.all,
  statuses: query['status-types'],
  subjects: query['subject-type'],
  since: query.since,
  before: query.before,
})

const marksOf = (query: Static<TObject<typeof markQuery>>): MarkQuery => ({
  all: query.all,
  statuses: query['status-types'],
  to: query['to-status'],
  lastReadAt: query.last_read_at,
})

async function threadList(ctx: SignedInCtx, query: Static<TObject<typeof listQuery>>, repoId?: RepoId) {
  const page = pageOf(query, ctx.config.api)
  const { rows, total, bound } = await getThreads(ctx, listOf(query), page, repoId)
  return paged(await presentThreads(ctx, rows), page, total, { link: false, bound })
}

async function presentOne(ctx: SignedInCtx, row: ThreadRow): Promise<NotificationThread> {
  const thread = await presentThread(ctx, row)
  if (!thread) throw new NotFound('the notification does not exist', 'notification_not_found')
  return thread
}

export const notifyGetList = operation({
  method: 'GET',
  path: '/notifications',
  cost: 'usual',
  scope: 'notification',
  requires: [signedIn],
  query: listQuery,
  reply: { 200: Type.Array(NotificationThread) },
  summary: 'List what the caller is told of',
  run: ({ ctx, query }) => threadList(ctx, query),
})

export const notifyReadList = operation({
  method: 'PUT',
  path: '/notifications',
  cost: 'usual',
  scope: 'notification',
  requires: [signedIn],
  query: markQuery,
  reply: { 205: Type.Array(NotificationThread) },
  summary: 'Mark notifications as read, unread or pinned',
  run: async ({ ctx, query }) => resetContent(await presentThreads(ctx, await markThreads(ctx, marksOf(query)))),
})

export const notifyNewAvailable = operation({
  method: 'GET',
  path: '/notifications/new',
  cost: 'usual',
  scope: 'notification',
  requires: [signedIn],
  reply: { 200: NotificationCount },
  summary: 'Count the unread notifications',
  run: async ({ ctx }) => ok({ new: await countUnread(ctx) }),
})

export const notifyGetThread = operation({
  method: 'GET',
  path: '/notifications/threads/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'notification',
  requires: [signedIn],
  reply: { 200: NotificationThread },
  summary: 'Get a notification',
  run: async ({ ctx, params }) => ok(await presentOne(ctx, await getThread(ctx, params.id))),
})

export const notifyReadThread = operation({
  method: 'PATCH',
  path: '/notifications/threads/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'notification',
  requires: [signedIn],
  query: { 'to-status': Type.Optional(Type.String()) },
  reply: { 205: NotificationThread },
  summary: 'Mark a notification as read, unread or pinned',
  run: async ({ ctx, params, query }) =>
    resetContent(await presentOne(ctx, await markThread(ctx, params.id, query['to-status']))),
})

export const notifyGetRepoList = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/notifications',
  cost: 'usual',
  scope: 'notification',
  requires: [inRepo, signedIn],
  query: listQuery,
  reply: { 200: Type.Array(NotificationThread) },
  summary: 'List what the caller is told of in a repository',
  run: ({ ctx, query }) => threadList(ctx, query, ctx.repo.id),
})

export const notifyReadRepoList = operation({
  method: 'PUT',
  path: '/repos/{username}/{reponame}/notifications',
  cost: 'usual',
  scope: 'notification',
  requires: [inRepo, signedIn],
  query: markQuery,
  reply: { 205: Type.Array(NotificationThread) },
  summary: 'Mark notifications of a repository as read, unread or pinned',
  run: async ({ ctx, query }) =>
    resetContent(await presentThreads(ctx, await markThreads(ctx, marksOf(query), ctx.repo.id))),
})
