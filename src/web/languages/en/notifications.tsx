import type { ThreadReason } from '../../../db/tables/notifications.ts'
import type { Reason } from '../../../notifications/cause.rules.ts'
import { counted } from '../amounts.ts'

const happened: Readonly<Record<Reason['what'], string>> = {
  opened: 'Opened',
  comment: 'New comment',
  closed: 'Closed',
  reopened: 'Reopened',
  assigned: 'Assigned to you',
  pushed: 'New commits',
  readied: 'Ready for review',
  review: 'New review',
  dismissed: 'Review dismissed',
  requested: 'Review requested',
  offered: 'Offered to you',
}

/** Texts of the page of notifications. */
export const notificationTexts = {
  title: 'Notifications',
  tabs: 'Notifications',
  acts: 'Acts on notifications',
  unread: 'Unread',
  read: 'Read',
  pinned: 'Pinned',
  markRead: 'Mark as read',
  markUnread: 'Mark as unread',
  pin: 'Pin',
  unpin: 'Unpin',
  allRead: 'Mark all as read',
  selected: 'Selected:',
  select: (title: string) => `Select ${title}`,
  theseRead: 'Mark these as read',
  groupRead: 'Mark these as read',
  groupReadShort: 'Mark read',
  everyReason: 'Every reason',
  everyRepository: 'Every repository',
  findRepository: 'Find a repository',
  groups: 'Groups of the list',
  groupBy: { reason: 'By reason', repository: 'By repository' },
  nothingFound: 'Nothing with this reason in this repository',
  showAll: 'Show all',
  openHint: 'The conversation that you choose opens here.',
  /** Why a person hears of a subject, as headings. */
  reasons: {
    review_requested: 'Review requested from you',
    assigned: 'Assigned to you',
    mentioned: 'Mentions',
    offered: 'Offered to you',
    author: 'Opened by you',
    participating: 'You take part',
    watching: 'Watched',
  } satisfies Readonly<Record<ThreadReason, string>>,
  keys: (tab: 'unread' | 'read' | 'pinned'): readonly (readonly [key: string, meaning: string])[] => [
    ['j', 'next'],
    ['k', 'previous'],
    ['e', tab === 'unread' ? 'read' : 'unread'],
    ...(tab === 'pinned' ? [] : [['p', 'pin'] as const]),
    ['x', 'select'],
  ],
  marked: (count: number) => `${counted(count, 'notification')} changed.`,
  /** Why a notification of an issue or pull request came. */
  reason: ({ what, isMention }: Reason, isMerged: boolean): string => {
    if (isMention) return 'Mentioned you'
    return what === 'closed' && isMerged ? 'Merged' : happened[what]
  },
  transfer: 'The repository was offered or moved to you',
  empty: {
    unread: 'All caught up',
    read: 'Nothing read yet',
    pinned: 'Nothing pinned',
  },
  emptyHint: {
    unread: 'Mentions, review requests and answers in what you take part in or watch appear here.',
    read: 'Notifications move here when you have read them.',
    pinned: 'Pin a notification to keep it at hand.',
  },
  subscriptions: {
    title: 'Subscriptions',
    lead: 'What you are notified of.',
    issues: 'Issues and pull requests',
    repositories: 'Repositories',
    watched: (count: number) => counted(count, 'watched repository', 'watched repositories'),
    subscribed: (count: number) => counted(count, 'subscription'),
    unsubscribe: 'Unsubscribe',
    unsubscribeOf: (title: string) => `Unsubscribe from ${title}`,
    unsubscribed: 'You no longer get notifications of it, unless somebody mentions you.',
    noIssues: 'No subscriptions',
    noIssuesLead: 'Where you take part, you are notified without a subscription.',
    noRepositories: 'You watch no repositories',
    noRepositoriesLead: 'The eye at the top of a repository tells you of its new issues and pull requests.',
    explore: 'Explore repositories',
    updated: 'updated',
  },
}
