import { counted } from '../ui/texts.tsx'

/** Texts of the page of notifications. */
export const texts = {
  title: 'Notifications',
  tabs: 'Notifications',
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
  repositoryRead: 'Mark these as read',
  keys: 'Keys: j and k move, x selects, Enter opens.',
  marked: (count: number) => `${counted(count, 'notification')} changed.`,
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
}
