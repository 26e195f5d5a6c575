import type { RepoId } from '../../lib/ids.ts'
import { pageOf } from '../../lib/paging.ts'
import { countUnread, getThreads, markOwnThreads, markThreads } from '../../notifications/thread.service.ts'
import { viewThreads } from '../../notifications/thread-view.present.ts'
import { getReviewedBefore } from '../../pulls/reviews/viewed.service.ts'
import { anyone } from '../../access/requirements.ts'
import { inSession } from '../shell/browser.requirements.ts'
import { act, nothingTyped, page } from '../shell/page.tsx'
import { NotificationsView, type NotificationTab } from './notifications.view.tsx'
import { notificationTexts as texts } from '../languages/texts.ts'
import { integer, text, textList } from '../ui/fields.ts'

const pageSize = 50

const tabOf = (text: string | undefined): NotificationTab => (text === 'read' || text === 'pinned' ? text : 'unread')

const pathFor = (tab: NotificationTab): string => (tab === 'unread' ? '/notifications' : `/notifications?q=${tab}`)

/** Notifications of the viewer by status, in groups of one repository each. */
export const notifications = page({
  path: '/notifications',
  twin: 'notifyGetList',
  cost: 'usual',
  requires: [inSession],
  query: { q: text, page: integer },
  async load({ ctx, query }) {
    const tab = tabOf(query.q)
    const at = pageOf({ page: query.page, limit: pageSize }, ctx.config.api)
    const filter = { all: undefined, statuses: [tab], subjects: undefined, since: undefined, before: undefined }
    const [{ rows, total, bound }, unreadCount] = await Promise.all([getThreads(ctx, filter, at), countUnread(ctx)])
    const threads = await viewThreads(ctx, rows)
    const pulls = threads.flatMap(({ issue }) => (issue?.is_pull ? [issue.id] : []))
    return {
      tab,
      threads,
      reviewedBefore: await getReviewedBefore(ctx, pulls),
      unreadCount,
      page: at,
      total: bound === undefined ? total : undefined,
      isLast: rows.length < at.limit || (bound === undefined && at.offset + rows.length >= total),
    }
  },
  meta: () => ({ title: texts.title, isUnlisted: true }),
  view: NotificationsView,
})

/** Sets the status of the chosen notifications. */
export const markNotifications = act({
  path: '/notifications/mark',
  twin: 'notifyReadThread',
  cost: 'usual',
  requires: [anyone],
  fields: {
    ids: textList,
    status: text,
    tab: text,
  },
  again: nothingTyped,
  async run({ ctx, body }) {
    const ids = (body.ids ?? []).map(Number).filter(Number.isSafeInteger)
    const count = await markOwnThreads(ctx, ids, body.status)
    return { to: pathFor(tabOf(body.tab)), notice: count > 1 ? texts.marked(count) : undefined }
  },
})

/** Marks unread notifications as read, of one repository or all of them. Newer ones than the page stay unread. */
export const readNotifications = act({
  path: '/notifications/read',
  twin: 'notifyReadList',
  cost: 'usual',
  requires: [anyone],
  fields: { last_read_at: text, repository: text },
  again: nothingTyped,
  async run({ ctx, body }) {
    const query = { all: undefined, statuses: ['unread'], to: 'read', lastReadAt: body.last_read_at }
    const repository = Number(body.repository ?? '')
    await markThreads(ctx, query, repository > 0 ? (repository as RepoId) : undefined)
    return { to: '/notifications' }
  },
})
