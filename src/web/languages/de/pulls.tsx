import type { ComponentChildren } from 'preact'
import type { MergeBlocker } from '../../../pulls/merge/merge-state.service.ts'
import type { MergeStyle } from '../../../pulls/merge/merge-style.ts'
import { counted } from '../amounts.ts'

/** Lines of a file; `line` is the last one. */
interface LineRange {
  readonly firstLine: number
  readonly line: number
}

const lineWords = ({ firstLine, line }: LineRange): string =>
  firstLine === line ? `Zeile ${line}` : `Zeilen ${firstLine}–${line}`

const checks = (count: number) => counted(count, 'Prüfung', 'Prüfungen')

/** Texts of pull requests. */
export const pullTexts = {
  open: 'Offen',
  draft: 'Entwurf',
  isLocked: 'Gesperrt',
  merged: 'Zusammengeführt',
  closed: 'Geschlossen',
  tabs: 'Pull-Request',
  conversation: 'Unterhaltung',
  commits: 'Commits',
  files: 'Geänderte Dateien',
  title: 'Titel',
  base: 'Ziel-Branch',
  editTitle: 'Titel und Ziel bearbeiten',
  saveTitle: 'Speichern',
  copyBranch: 'Name des Branches',
  wantsToMerge: ' schlägt vor: ',
  hasMerged: ' hat zusammengeführt: ',
  into: ' nach ',
  opened: 'eröffnete dies',
  author: 'Autor',
  authorTitle: 'Hat den Pull-Request eröffnet',
  comment: 'Kommentieren',
  commentText: 'Kommentar hinzufügen',
  close: 'Pull-Request schließen',
  reopen: 'Wieder öffnen',
  toDraft: 'In einen Entwurf umwandeln',
  ready: 'Zur Begutachtung freigeben',
  commentHint: 'Kommentar schreiben. Markdown, @Personen und #Issues sind möglich.',
  reviewers: 'Gutachter',
  noReviewers: 'Noch niemand',
  nobodyToAsk: 'Niemand sonst kann hier begutachten.',
  askAgain: (name: string) => `Neues Gutachten von ${name} erbitten`,
  withdraw: (name: string) => `Bitte an ${name} widerrufen`,
  reviewStates: {
    approve: 'Gutgeheißen',
    reject: 'Erbittet Änderungen',
    comment: 'Kommentiert',
    pending: 'Noch nicht abgegeben',
    request: 'Gutachten steht aus',
  },
  stale: 'Eine frühere Fassung',
  dismissed: 'Verworfen',
  reviewed: {
    approve: 'hieß diese Änderungen gut',
    reject: 'erbat Änderungen',
    comment: 'begutachtete dies',
    pending: 'begann ein Gutachten',
    request: 'wurde um ein Gutachten gebeten',
  },
  outdated: 'Überholt',
  resolve: 'Als erledigt markieren',
  unresolve: 'Als offen markieren',
  resolvedBy: (name: string | undefined, count: number) =>
    `${name === undefined ? 'Erledigt' : `Von ${name} erledigt`} · ${counted(count, 'Kommentar', 'Kommentare')}`,
  comments: (count: number) => counted(count, 'Kommentar', 'Kommentare'),
  pending: 'Noch nicht abgegeben',
  seeInFiles: 'In den Dateien ansehen',
  applySuggestion: 'Vorschlag übernehmen',
  suggestionApplied: 'Der Vorschlag ist in den Branch committet.',
  chooseSuggestion: 'Für einen gemeinsamen Commit auswählen',
  suggestions: 'Vorschläge',
  suggestionsHint: (count: number) =>
    `${counted(count, 'Vorschlag kann', 'Vorschläge können')} übernommen werden. Die ausgewählten werden ein Commit.`,
  suggestionsMessage: 'Nachricht des Commits',
  applyChosen: 'Ausgewählte Vorschläge committen',
  suggestionsApplied: (count: number) =>
    `${counted(count, 'Vorschlag ist', 'Vorschläge sind')} in den Branch committet.`,
  reply: 'Antworten',
  lineText: (path: string, lines: LineRange) => `Kommentar zu ${path}, ${lineWords(lines)}`,
  lines: (lines: LineRange) => lineWords(lines),
  firstLine: 'Von Zeile',
  lastLine: 'bis Zeile',
  commentNow: 'Sofort kommentieren',
  startReview: 'Gutachten beginnen',
  addToReview: 'Zum Gutachten hinzufügen',
  cancel: 'Abbrechen',
  suggest: 'Andere Zeilen vorschlagen',
  suggestProblem: 'Die Zeilen sind hier nicht vollständig zu sehen und lassen sich deshalb nicht einfügen.',
  suggestHint:
    'Ein Codeblock mit der Sprache „suggestion“ schlägt andere Zeilen vor, die mit einem Klick übernommen werden können.',
  review: 'Gutachten',
  finishReview: (count: number) => (count === 0 ? 'Begutachten' : `Gutachten abschließen (${count})`),
  reviewText: 'Zusammenfassung',
  verdict: 'Ergebnis',
  verdicts: {
    comment: 'Kommentieren',
    approve: 'Gutheißen',
    reject: 'Änderungen erbitten',
  },
  verdictHints: {
    comment: 'Etwas sagen, ohne zu urteilen.',
    approve: 'Die Änderungen können zusammengeführt werden.',
    reject: 'Zuerst muss sich etwas ändern.',
  },
  ownPull: 'Sie können Ihren eigenen Pull-Request weder gutheißen noch ablehnen.',
  submitReview: 'Gutachten abgeben',
  pendingNote: (count: number) =>
    count === 0
      ? 'Nur Sie sehen dieses Gutachten, bis Sie es abgeben.'
      : `Nur Sie sehen ${count === 1 ? 'diesen Kommentar' : `diese ${count} Kommentare`}, bis Sie das Gutachten abgeben.`,
  toReview: 'Gutachten abschließen',
  reviewSubmitted: 'Das Gutachten ist abgegeben.',
  discardReview: 'Gutachten verwerfen',
  discardQuestion: 'Das Gutachten mit seinen noch nicht abgegebenen Kommentaren verwerfen?',
  reviewDiscarded: 'Das Gutachten ist verworfen.',
  viewed: 'Angesehen',
  markViewed: (path: string) => `${path} als angesehen markieren`,
  markUnviewed: (path: string) => `${path} als nicht angesehen markieren`,
  progress: (viewed: number, total: number) => `${viewed} von ${total} angesehen`,
  sinceReview: 'Neu seit meinem Gutachten',
  wholeDiff: 'Alle Änderungen',
  onlySince: (oid: string) => `Dies sind die Änderungen, seit Sie ${oid} begutachtet haben.`,

  merge: 'Zusammenführen',
  mergeBox: 'Zusammenführen',
  canMerge: 'Dieser Pull-Request kann zusammengeführt werden.',
  blocked: 'Das Zusammenführen ist blockiert',
  waiting: 'Wird von selbst zusammengeführt',
  waitingDetail: 'Es geschieht, sobald alles Nötige erfüllt ist.',
  cancelWaiting: 'Geplantes Zusammenführen widerrufen',
  waitingCancelled: 'Das geplante Zusammenführen ist widerrufen.',
  mergeWhenReady: 'Zusammenführen, sobald möglich',
  scheduledNotice: 'Der Pull-Request wird zusammengeführt, sobald alles Nötige erfüllt ist.',
  mergedNotice: 'Der Pull-Request ist zusammengeführt.',
  style: 'Art des Zusammenführens',
  styles: {
    merge: 'Merge-Commit',
    rebase: 'Rebase, dann Fast-Forward',
    'rebase-merge': 'Rebase, dann Merge-Commit',
    squash: 'Zu einem Commit vereinen (Squash)',
    'fast-forward-only': 'Nur Fast-Forward',
    'manually-merged': 'Als von Hand zusammengeführt markieren',
  } satisfies Record<MergeStyle, string>,
  message: 'Commit-Nachricht',
  messageTitle: 'Titel des Commits',
  messageBody: 'Beschreibung des Commits',
  messageHint: 'Leere Felder bekommen das Übliche.',
  manualCommit: 'Commit mit dem Zusammengeführten',
  branchDeleted: 'Der Branch ist gelöscht.',
  branchLeft: 'Alles in diesem Branch ist zusammengeführt.',
  deleteBranchNow: 'Branch löschen',
  revert: 'Zurücknehmen',
  lost: {
    head: (branch: string) => `Der Branch ${branch} wurde gelöscht`,
    headHelp:
      'Seine Commits bleiben hier und lassen sich begutachten und zusammenführen. Neue Commits brauchen den Branch.',
    headRepository: 'Das Repository des Branches wurde gelöscht',
    headRepositoryHelp: (index: number) =>
      `Seine Commits bleiben hier und lassen sich begutachten und zusammenführen. Sie erhalten sie mit git fetch origin pull/${index}/head.`,
    base: (branch: string) => `Der Ziel-Branch ${branch} wurde gelöscht`,
    baseHelp:
      'Stellen Sie ihn wieder her, oder wählen Sie beim Titel ein anderes Ziel. Ohne Ziel lässt sich nichts zusammenführen.',
    restore: (branch: string) => `${branch} wiederherstellen`,
    restoreAt: (branch: string, oid: string) => `${branch} bei ${oid.slice(0, 10)} wiederherstellen`,
    restored: (branch: string) => `Der Branch ${branch} ist wiederhergestellt.`,
    noReopen: 'Der Ziel-Branch wurde gelöscht: Stellen Sie ihn zuerst wieder her, oder wählen Sie einen anderen',
  },
  deleteBranch: (name: string) => `Den Branch ${name} danach löschen`,
  force: 'Zusammenführen, ohne die Regeln des Branches zu erfüllen',
  update: 'Branch aktualisieren',
  updateRebase: 'Mit Rebase aktualisieren',
  updated: 'Der Branch ist auf dem Stand seines Ziels.',
  behind: (base: string) => `Dem Branch fehlen Commits von ${base}.`,
  noStyle: 'Das Repository erlaubt keine Art des Zusammenführens.',
  blockers: {
    rights: {
      title: 'Sie dürfen in diesen Branch nicht zusammenführen',
      help: 'Das können Personen mit Schreibrecht oder die, die die Regel des Branches nennt.',
    },
    draft: { title: 'Dies ist ein Entwurf', help: 'Geben Sie ihn zur Begutachtung frei, um ihn zusammenzuführen.' },
    checking: { title: 'Konflikte werden gesucht', help: 'Laden Sie die Seite gleich noch einmal.' },
    conflict: {
      title: 'Die Branches stehen in Konflikt',
      help: 'Führen Sie das Ziel auf Ihrem Rechner in den Branch zusammen, lösen Sie die Konflikte und pushen Sie.',
    },
    error: {
      title: 'Die Branches konnten nicht verglichen werden',
      help: 'Pushen Sie noch einmal, oder bitten Sie die Verwaltung, ins Protokoll zu sehen.',
    },
    nothing: { title: 'Nichts zusammenzuführen', help: 'Das Ziel enthält schon jeden Commit des Branches.' },
    unrelated: {
      title: 'Die Verläufe hängen nicht zusammen',
      help: 'Beide Branches brauchen einen gemeinsamen Commit.',
    },
    rejected: {
      title: 'Ein Gutachten verlangt Änderungen',
      help: 'Ein neues Gutachten muss es ersetzen, oder es wird verworfen.',
    },
    failed: {
      title: 'Eine nötige Prüfung ist fehlgeschlagen',
      help: 'Sie muss für den neuesten Commit erfolgreich sein.',
    },
    waiting: {
      title: 'Noch keine Prüfung hat sich gemeldet',
      help: 'Die nötigen Prüfungen müssen für den neuesten Commit erfolgreich sein.',
    },
    approvals: {
      title: 'Eine Zustimmung fehlt',
      help: 'Jemand, der gutheißen darf, muss die Änderungen begutachten.',
    },
    requested: {
      title: 'Ein Gutachten steht noch aus',
      help: 'Die Regel des Branches wartet auf jedes offizielle Gutachten.',
    },
    outdated: {
      title: 'Der Branch liegt hinter seinem Ziel zurück',
      help: 'Aktualisieren Sie den Branch, um ihn zusammenzuführen.',
    },
    files: {
      title: 'Geschützte Dateien sind geändert',
      help: 'Nehmen Sie die Änderungen dieser Dateien zurück, oder wenden Sie sich an die Verwaltung.',
    },
    dependency: { title: 'Ein Issue, von dem dieses abhängt, ist offen', help: 'Schließen Sie es zuerst.' },
    archived: {
      title: 'Das Repository ist archiviert',
      help: 'Wer es verwaltet, kann es in seinen Einstellungen reaktivieren.',
    },
  } satisfies Record<MergeBlocker['kind'], { title: string; help: string }>,
  askedForChanges: (names: string) => `Änderungen verlangt von ${names}`,
  canMergeNevertheless: 'Die Regeln des Branches erlauben das Zusammenführen trotzdem.',
  waitsForReview: (names: string) => `Gutachten steht noch aus: ${names}`,
  missingApprovals: (count: number) =>
    `${counted(count, 'Zustimmung', 'Zustimmungen')} ${count === 1 ? 'fehlt' : 'fehlen'}`,
  checkFailed: (context: string) => `${context} ist fehlgeschlagen`,
  checkCancelled: (context: string) => `${context} ist abgebrochen`,
  checkAwaited: (context: string, state: string) =>
    state === 'missing' ? `${context} hat sich noch nicht gemeldet` : `${context} ist noch nicht fertig`,
  seeLine: (line: number) => `Zeile ${line} des Protokolls ansehen`,
  seeFiles: 'Dateien ansehen',
  reload: 'Neu laden',
  reviewNow: 'Änderungen begutachten',
  askForReview: 'Um ein Gutachten bitten',
  conflictCommands: 'Befehle, um die Konflikte zu lösen',
  checks: (passed: number, total: number) =>
    passed === total && total > 1 ? `Alle ${checks(total)} bestanden` : `${passed} von ${checks(total)} bestanden`,
  checksFailed: (failed: number, total: number) => `${failed} von ${checks(total)} fehlgeschlagen`,
  checksCancelled: (cancelled: number, total: number) => `${cancelled} von ${checks(total)} abgebrochen`,
  details: 'Einzelheiten',
  mergedBy: ' führte dies zusammen als ',
  closedUnmerged: 'Geschlossen, ohne zusammenzuführen',
  closedHelp: 'Öffnen Sie ihn wieder, um ihn zusammenzuführen.',

  noCommits: 'Keine Commits',
  noCommitsHint: 'Das Ziel enthält schon jeden Commit des Branches.',
  newPull: 'Neuer Pull-Request',
  template: 'Vorlage',
  noTemplate: 'Ohne Vorlage',
  create: 'Pull-Request anlegen',
  createDraft: 'Als Entwurf anlegen',
  description: 'Beschreibung',
  existing: 'Für diese Branches ist ein Pull-Request offen:',
  maintainersMayEdit: 'Maintainer dürfen ändern',
  maintainersHint: 'Wer in das Ziel schreiben darf, kann in diesen Branch Ihres Forks pushen.',
  newHint: 'Was ändert sich, und warum?',
}

/** The texts about a rewritten branch. */
export const rewriteTexts = {
  title: 'Die Commits wurden umgeschrieben',
  hint: 'Jeder Commit, den Sie begutachtet haben, steht neben seiner neuen Fassung. In einer geänderten zeigen + und −, was zu ihrer Änderung hinzukam und was wegfiel.',
  bounded: 'Nicht alle Commits wurden verglichen, weil es zu viele sind oder ihre Änderungen zu groß.',
  pushTitle: 'Was ein Force-Push geändert hat',
  pushHint:
    'Jeder ersetzte Commit steht neben seiner neuen Fassung. In einer geänderten zeigen + und −, was zu ihrer Änderung hinzukam und was wegfiel.',
  pushHeads: (old: ComponentChildren, now: ComponentChildren) => (
    <>
      Die Spitze des Branches war {old} und wurde {now}.
    </>
  ),
  gone: 'Die ersetzten Commits gibt es nicht mehr, daher lassen sie sich nicht vergleichen.',
  onlyAdded: 'Kein Commit wurde ersetzt.',
  none: 'keiner',
  states: { same: 'Gleich', changed: 'Geändert', removed: 'Entfernt', added: 'Neu' },
} as const
