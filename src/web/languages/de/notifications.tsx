import type { ThreadReason } from '../../../db/tables/notifications.ts'
import type { Reason } from '../../../notifications/cause.rules.ts'
import { counted } from '../amounts.ts'

const happened: Readonly<Record<Reason['what'], string>> = {
  opened: 'Eröffnet',
  comment: 'Neuer Kommentar',
  closed: 'Geschlossen',
  reopened: 'Wieder geöffnet',
  assigned: 'Ihnen zugewiesen',
  pushed: 'Neue Commits',
  readied: 'Kann begutachtet werden',
  review: 'Neues Gutachten',
  dismissed: 'Gutachten verworfen',
  requested: 'Gutachten erbeten',
  offered: 'Ihnen angeboten',
}

/** Texts of the page of notifications. */
export const notificationTexts = {
  title: 'Benachrichtigungen',
  tabs: 'Benachrichtigungen',
  acts: 'Aktionen für Benachrichtigungen',
  unread: 'Ungelesen',
  read: 'Gelesen',
  pinned: 'Angeheftet',
  markRead: 'Als gelesen markieren',
  markUnread: 'Als ungelesen markieren',
  pin: 'Anheften',
  unpin: 'Ablösen',
  allRead: 'Alle als gelesen markieren',
  selected: 'Ausgewählt:',
  select: (title: string) => `${title} auswählen`,
  theseRead: 'Diese als gelesen markieren',
  groupRead: 'Diese als gelesen markieren',
  groupReadShort: 'Alle gelesen',
  everyReason: 'Jeder Grund',
  everyRepository: 'Jedes Repository',
  findRepository: 'Repository suchen',
  groups: 'Gruppen der Liste',
  groupBy: { reason: 'Nach Grund', repository: 'Nach Repository' },
  nothingFound: 'Nichts mit diesem Grund in diesem Repository',
  showAll: 'Alle anzeigen',
  openHint: 'Hier öffnet sich die Unterhaltung, die Sie wählen.',
  reasons: {
    review_requested: 'Gutachten von Ihnen erbeten',
    assigned: 'Ihnen zugewiesen',
    mentioned: 'Erwähnungen',
    offered: 'Ihnen angeboten',
    author: 'Von Ihnen eröffnet',
    participating: 'Mit Ihrer Beteiligung',
    watching: 'Beobachtet',
  } satisfies Readonly<Record<ThreadReason, string>>,
  keys: (tab: 'unread' | 'read' | 'pinned'): readonly (readonly [key: string, meaning: string])[] => [
    ['j', 'nächste'],
    ['k', 'vorige'],
    ['e', tab === 'unread' ? 'gelesen' : 'ungelesen'],
    ...(tab === 'pinned' ? [] : [['p', 'anheften'] as const]),
    ['x', 'auswählen'],
  ],
  marked: (count: number) => `${counted(count, 'Benachrichtigung', 'Benachrichtigungen')} geändert.`,
  reason: ({ what, isMention }: Reason, isMerged: boolean): string => {
    if (isMention) return 'Hat Sie erwähnt'
    return what === 'closed' && isMerged ? 'Zusammengeführt' : happened[what]
  },
  transfer: 'Das Repository wurde Ihnen angeboten oder übergeben',
  empty: {
    unread: 'Alles gelesen',
    read: 'Noch nichts gelesen',
    pinned: 'Nichts angeheftet',
  },
  emptyHint: {
    unread:
      'Hier erscheinen Erwähnungen, erbetene Gutachten und Antworten dort, wo Sie beteiligt sind oder beobachten.',
    read: 'Benachrichtigungen stehen hier, wenn Sie sie gelesen haben.',
    pinned: 'Heften Sie eine Benachrichtigung an, um sie griffbereit zu haben.',
  },
  subscriptions: {
    title: 'Abonnements',
    lead: 'Worüber Sie benachrichtigt werden.',
    issues: 'Issues und Pull-Requests',
    repositories: 'Repositorys',
    watched: (count: number) => counted(count, 'beobachtetes Repository', 'beobachtete Repositorys'),
    subscribed: (count: number) => counted(count, 'Abonnement', 'Abonnements'),
    unsubscribe: 'Abbestellen',
    unsubscribeOf: (title: string) => `${title} abbestellen`,
    unsubscribed: 'Sie bekommen dazu keine Benachrichtigungen mehr, außer wenn jemand Sie erwähnt.',
    noIssues: 'Keine Abonnements',
    noIssuesLead: 'Wo Sie beteiligt sind, werden Sie ohne Abonnement benachrichtigt.',
    noRepositories: 'Sie beobachten keine Repositorys',
    noRepositoriesLead: 'Das Auge oben in einem Repository meldet Ihnen seine neuen Issues und Pull-Requests.',
    explore: 'Repositorys entdecken',
    updated: 'geändert',
  },
}
