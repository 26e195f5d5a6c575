import { pageOf } from '../../lib/paging.ts'
import {
  countThreadsBy,
  countUnread,
  findThreadRepo,
  getThreads,
  markOwnThreads,
  markThreads,
} from '../../notifications/thread.service.ts'
import { viewThreadRepos, viewThreads } from '../../notifications/thread-view.present.ts'
import { getReviewedBefore } from '../../pulls/reviews/viewed.service.ts'
import { anyone } from '../../access/requirements.ts'
import { inSession } from '../shell/browser.requirements.ts'
import { act, nothingTyped, page } from '../shell/page.tsx'
import { inboxFields, inboxPath, readInboxQuery } from './inbox-query.ts'
import { NotificationsView } from './notifications.view.tsx'
import { notificationTexts as texts } from '../languages/texts.ts'
import { integer, text, textList } from '../ui/fields.ts'

const pageSize = 50

/** Notifications of the viewer by status, reason and repository, in groups, beside the conversation that one leads to. */
export const notifications = page({
  path: '/notifications',
  twin: 'notifyGetList',
  cost: 'usual',
  requires: [inSession],
  query: { ...inboxFields, page: integer },
  isWide: true,
  async load({ ctx, query: words }) {
    const query = readInboxQuery(words)
    const at = pageOf({ page: words.page, limit: pageSize }, ctx.config.api)
    const repoId = query.repo === undefined ? undefined : await findThreadRepo(ctx, query.repo)
    const filter = {
      all: undefined,
      statuses: [query.status],
      subjects: undefined,
      since: undefined,
      before: undefined,
    }
    const [{ rows, total, bound }, unreadCount, counts] = await Promise.all([
      getThreads(ctx, { ...filter, reason: query.reason }, at, repoId),
      countUnread(ctx),
      countThreadsBy(ctx, query.status, { reason: query.reason, repoId }),
    ])
    const threads = await viewThreads(ctx, rows)
    const pulls = threads.flatMap(({ issue }) => (issue?.is_pull ? [issue.id] : []))
    return {
      query,
      threads,
      reasons: counts.reasons,
      repos: await viewThreadRepos(ctx, counts.repos),
      reviewedBefore: await getReviewedBefore(ctx, pulls),
      unreadCount,
      page: at,
      total: bound === undefined ? total : undefined,
      isLast: rows.length < at.limit || (bound === undefined && at.offset + rows.length >= total),
    }
  },
  meta: () => ({ title: texts.title, isUnlisted: true, withFurtherStyles: true }),
  view: NotificationsView,
})

/** Sets the status of the chosen notifications. */
export const markNotifications = act({
  path: '/notifications/mark',
  twin: 'notifyReadThread',
  cost: 'usual',
  requires: [anyone],
  fields: { ...inboxFields, ids: textList, status: text },
  again: nothingTyped,
  async run({ ctx, body }) {
    const ids = (body.ids ?? []).map(Number).filter(Number.isSafeInteger)
    const count = await markOwnThreads(ctx, ids, body.status)
    return { to: inboxPath(readInboxQuery(body)), notice: count > 1 ? texts.marked(count) : undefined }
  },
})

/** Marks the unread notifications that a filter finds as read. Newer ones than the page stay unread. */
export const readNotifications = act({
  path: '/notifications/read',
  twin: 'notifyReadList',
  cost: 'usual',
  requires: [anyone],
  fields: { ...inboxFields, last_read_at: text, of_reason: text, of_repo: text },
  again: nothingTyped,
  async run({ ctx, body }) {
    const { reason, repo } = readInboxQuery({ reason: body.of_reason, repo: body.of_repo })
    const query = { all: undefined, statuses: ['unread'], to: 'read', lastReadAt: body.last_read_at, reason }
    await markThreads(ctx, query, repo === undefined ? undefined : await findThreadRepo(ctx, repo))
    return { to: inboxPath(readInboxQuery(body)) }
  },
})
