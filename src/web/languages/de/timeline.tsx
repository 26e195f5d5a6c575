import type { ComponentChildren } from 'preact'
import { counted, listText } from '../amounts.ts'

/**
 * Texts of comments and events of issues and pull requests. The actor stands before a text, and what it is about after it, so verbs are in
 * the simple past and those that do not split.
 */
export const timelineTexts = {
  ghost: 'Gelöschtes Konto',
  wrote: 'kommentierte',
  opened: 'eröffnete dies',
  edited: 'bearbeitet',
  editedTitle: 'Frühere Fassungen ansehen',
  author: 'Autor',
  authorTitle: 'Hat das Issue geschrieben',
  acts: 'Aktionen für diesen Kommentar',
  quoteReply: 'Zitieren und antworten',
  taskUnsent: 'Die Aufgabe ließ sich nicht absenden. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.',
  quote: 'In einer Antwort zitieren',
  history: 'Bearbeitungen ansehen',
  deleteQuestion: 'Diesen Kommentar löschen? Er kann nicht wiederhergestellt werden.',
  save: 'Speichern',
  text: 'Text des Kommentars',
  noText: 'Keine Beschreibung.',
  files: 'Angehängte Dateien',
  removeFile: (name: string) => `${name} löschen`,
  removeFileQuestion: (name: string) => `Die Datei ${name} löschen? Sie kann nicht wiederhergestellt werden.`,
  react: 'Reagieren',
  reactedWith: (word: string, names: readonly string[], more: number) =>
    `${listText([...names, ...(more > 0 ? [counted(more, 'weitere Person', 'weitere Personen')] : [])])}: ${word}`,
  earlier: (count: number) => `${counted(count, 'früheren Eintrag', 'frühere Einträge')} zeigen`,
  later: 'Neueste Einträge zeigen',
  outOfDate: 'Jemand hat diesen Text inzwischen geändert. Vergleichen Sie ihn mit Ihrem und speichern Sie noch einmal.',
  theirText: 'Der Text, wie er jetzt ist',
  due: 'Fälligkeit',
  closed: 'schloss dies',
  closedBy: 'schloss dies mit ',
  reopened: 'öffnete dies wieder',
  merged: 'führte dies zusammen',
  added: 'ergänzte',
  removed: 'entfernte',
  labels: (count: number) => (count === 1 ? 'Label' : 'Labels'),
  deletedLabel: 'ein gelöschtes Label',
  deletedMilestone: '(gelöscht)',
  setMilestone: 'setzte den Meilenstein ',
  leftMilestone: 'entfernte den Meilenstein ',
  movedMilestone: (from: string) => `ersetzte den Meilenstein ${from} durch `,
  assignedSelf: 'übernahm dies',
  leftSelf: 'gab die Zuweisung ab',
  assigned: 'beauftragte',
  and: ' und ',
  unassigned: 'entfernte die Zuweisung von',
  renamed: 'änderte den Titel',
  branch: (from: string, to: string) =>
    to === ''
      ? `entfernte den Branch ${from}`
      : from === ''
        ? `setzte den Branch ${to}`
        : `ersetzte den Branch ${from} durch ${to}`,
  targetBranch: (from: string, to: string) => `ersetzte den Ziel-Branch ${from} durch ${to}`,
  deletedBranch: (name: string) => `löschte den Branch ${name}`,
  dueAdded: (day: string) => `setzte die Fälligkeit auf den ${day}`,
  dueChanged: (day: string, old: string) => `verschob die Fälligkeit vom ${old} auf den ${day}`,
  dueRemoved: (day: string) => `entfernte die Fälligkeit am ${day}`,
  dependsOn: 'ergänzte eine Abhängigkeit',
  dependencyGone: 'entfernte eine Abhängigkeit',
  relations: {
    added: {
      parent: 'machte dies zu einem Unter-Issue von',
      sub_issue: 'fügte das Unter-Issue hinzu:',
      duplicate_of: 'markierte dies als Duplikat von',
      duplicated_by: 'markierte ein Duplikat davon:',
      relates_to: 'setzte dies in Beziehung zu',
    },
    removed: {
      parent: 'nahm dies aus den Unter-Issues von',
      sub_issue: 'entfernte das Unter-Issue',
      duplicate_of: 'markiert dies nicht mehr als Duplikat von',
      duplicated_by: 'markiert nicht mehr als Duplikat davon:',
      relates_to: 'beendete die Beziehung zu',
    },
  },
  startedWatch: 'begann mit der Arbeit',
  stoppedWatch: (time: string) => `beendete die Arbeit nach ${time}`,
  addedTime: (time: string) => `erfasste ${time} Arbeit`,
  cancelledWatch: 'verwarf die laufende Stoppuhr',
  deletedTime: (time: string) => `löschte ${time} Arbeit`,
  locked: 'sperrte die Unterhaltung',
  lockedBecause: (reason: string) => `sperrte die Unterhaltung: ${reason}`,
  unlocked: 'entsperrte die Unterhaltung',
  pinned: 'heftete dies an',
  unpinned: 'löste dies wieder ab',
  mentioned: 'erwähnte dies',
  willClose: 'verknüpfte einen Pull-Request, der dies schließt',
  commit: 'erwähnte dies im Commit ',
  pushed: (count: number) => `pushte ${counted(count, 'Commit', 'Commits')}`,
  forcePushed: 'überschrieb den Branch (Force-Push)',
  forcePushedFrom: (old: ComponentChildren, now: ComponentChildren) => (
    <>
      überschrieb den Branch (Force-Push): {old} wurde {now}
    </>
  ),
  comparePush: 'Commits vergleichen',
  requested: 'erbat ein Gutachten von ',
  requestGone: 'widerrief die Bitte um ein Gutachten von ',
  refused: 'lehnte das Gutachten ab',
  dismissed: 'verwarf ein Gutachten',
  scheduled: 'plante das Zusammenführen ein, sobald alle Prüfungen bestanden sind',
  unscheduled: 'widerrief das geplante Zusammenführen',
  reviewed: 'begutachtete dies',
}
