import type { ActionAnnotationRow, ActionStatus, AnnotationLevel } from '../../../db/tables/actions.ts'
import { choiceText, counted, listText, numberText } from '../amounts.ts'
import { wordTable } from '../../../lib/word-table.ts'

const statuses: Readonly<Record<ActionStatus, string>> = {
  success: 'Erfolgreich',
  failure: 'Fehlgeschlagen',
  cancelled: 'Abgebrochen',
  skipped: 'Übersprungen',
  running: 'Läuft',
  waiting: 'Wartet',
  blocked: 'Blockiert',
  unknown: 'Unbekannt',
}

const events = wordTable<string>({
  push: 'Push',
  create: 'Branch oder Tag erstellt',
  delete: 'Branch oder Tag gelöscht',
  pull_request: 'Pull-Request',
  pull_request_target: 'Pull-Request',
  pull_request_review: 'Gutachten',
  workflow_dispatch: 'Von Hand gestartet',
  workflow_call: 'Aufgerufen',
  workflow_run: 'Workflow',
  schedule: 'Zeitplan',
  release: 'Release',
  issues: 'Issue',
  issue_comment: 'Kommentar',
  registry_package: 'Paket',
})

const eventText = (event: string): string =>
  Object.hasOwn(events, event) ? (events[event] as string) : event.replaceAll('_', ' ')

const jobs = (count: number) => counted(count, 'Job', 'Jobs')

/** Texts of the pages of workflows, runs and logs. */
export const actionsTexts = {
  status: (status: ActionStatus) => statuses[status],
  event: (event: string) => eventText(event),
  title: 'Actions',
  titleOf: (repo: string) => `Actions von ${repo}`,
  list: {
    workflows: 'Workflows',
    all: 'Alle Workflows',
    disabled: 'Ausgeschaltet',
    gone: 'Nicht im Standard-Branch',
    status: 'Status',
    event: 'Ereignis',
    branch: 'Branch',
    actor: 'Person',
    filterBranches: 'Branch finden',
    filterActors: 'Person finden',
    noMatch: 'In letzter Zeit kein Lauf mit diesem Namen',
    any: 'Alle',
    clear: 'Filter zurücksetzen',
    runs: 'Läufe',
    by: 'von',
    approval: 'Braucht Freigabe',
    invalid: 'Ungültiger Workflow',
    noRuns: 'Kein Lauf passt',
    noRunsLead: 'Ändern Sie die Filter oder setzen Sie sie zurück, um andere Läufe zu sehen.',
    noRunsYet: 'Noch keine Läufe',
    noRunsYetLead: 'Ein Lauf erscheint, wenn ein Ereignis diesen Workflow startet.',
    empty: 'Automatisieren, was nach jedem Push zu tun ist',
    emptyLead:
      'Speichern Sie diese Datei im Standard-Branch. Sie führt Ihre Tests aus, sobald jemand pusht oder einen Pull-Request eröffnet.',
    emptyReader: 'Niemand hat diesem Repository einen Workflow hinzugefügt.',
    emptyFile: '.forgejo/workflows/test.yml',
    emptyWorkflow: `name: Tests
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: make test
`,
    create: 'Datei anlegen',
    problem: (name: string) => `Die Datei ${name} ist nicht lesbar:`,
    badge: 'Plakette',
    badgeHint: 'Zeigt das neueste Ergebnis im Standard-Branch. Fügen Sie sie in ein README ein.',
    badgeLabel: 'Markdown der Plakette',
    enable: 'Einschalten',
    disable: 'Ausschalten',
    disabledLead: 'Dieser Workflow ist ausgeschaltet. Er startet nur von Hand.',
    dispatch: 'Workflow starten',
    dispatchRef: 'Branch oder Tag',
    dispatchStart: 'Starten',
    missingInput: 'Füllen Sie dieses Feld aus.',
    wrongInput: ({ type, options }: { readonly type: string; readonly options: readonly string[] }) =>
      type === 'number' ? 'Geben Sie eine Zahl ein.' : `Wählen Sie ${choiceText(options)}.`,
    dispatchOnOther: 'Die Eingaben sind die des Standard-Branches.',
    yes: 'Ja',
    no: 'Nein',
    noChoice: 'Keine',
    archived: 'Das Repository ist archiviert',
    more: 'Weitere Aktionen',
  },
  done: {
    dispatched: (number: number) => `Lauf ${number} startet.`,
    enabled: (name: string) => `${name} ist eingeschaltet.`,
    disabled: (name: string) => `${name} ist ausgeschaltet.`,
    rerun: 'Die Jobs laufen noch einmal.',
    cancelled: 'Der Lauf ist abgebrochen.',
    approved: 'Der Lauf ist freigegeben.',
    deleted: (number: number) => `Lauf ${number} ist gelöscht.`,
    artifactDeleted: (name: string) => `Das Artefakt ${name} ist gelöscht.`,
  },
  run: {
    title: (title: string, number: number) => `${title} · Lauf ${number}`,
    number: (number: number) => `#${number}`,
    summary: 'Zusammenfassung',
    jobs: 'Jobs',
    graph: 'Graph der Jobs',
    stage: (number: number) => `Stufe ${number}`,
    workflow: 'Workflow',
    event: 'Ereignis',
    commit: 'Commit',
    branch: 'Branch',
    started: 'Begonnen',
    duration: 'Dauer',
    rerun: 'Noch einmal ausführen',
    rerunAll: 'Alle Jobs',
    rerunFailed: 'Fehlgeschlagene Jobs',
    rerunJob: 'Diesen Job noch einmal ausführen',
    cancel: 'Abbrechen',
    approve: 'Freigeben und ausführen',
    approvalTitle: 'Dieser Lauf wartet auf eine Freigabe',
    approvalLead:
      'Er führt Commits von jemandem ohne Schreibrecht aus. Lesen Sie die Änderungen, vor allem die an Workflows, bevor Sie ihn freigeben.',
    approvalReader: 'Jemand mit Schreibrecht muss ihn freigeben.',
    toWorkflow: 'Zur Datei',
    waiting: (count: number) =>
      count === 1 ? 'Ein Job wartet auf einen freien Runner mit' : `${jobs(count)} warten auf einen freien Runner mit`,
    runner: {
      missing: (count: number) =>
        count === 1
          ? 'Ein Job wartet, aber kein Runner hat die Labels'
          : `${jobs(count)} warten, aber kein Runner hat die Labels`,
      offline: (count: number) =>
        count === 1
          ? 'Ein Job wartet, aber kein verbundener Runner hat die Labels'
          : `${jobs(count)} warten, aber kein verbundener Runner hat die Labels`,
    },
    addRunner: 'Runner ansehen',
    changes: 'Änderungen lesen',
    held: 'Dieser Lauf wartet, bis ein früherer Lauf seiner Gruppe beendet ist.',
    untrusted: 'Aus einem Fork',
    untrustedHint: 'Der Lauf bekommt keine Secrets, und seine Tokens dürfen nur lesen',
    problem: (name: string) => `Die Workflow-Datei ${name} ist ungültig:`,
    delete: 'Lauf löschen',
    deleteQuestion: 'Diesen Lauf mit seinen Protokollen und Artefakten löschen?',
    artifacts: 'Artefakte',
    artifactExpires: 'Läuft ab',
    artifactExpired: 'Abgelaufen',
    download: 'Herunterladen',
    deleteArtifact: (name: string) => `${name} löschen`,
    deleteArtifactQuestion: (name: string) => `Das Artefakt ${name} löschen?`,
    needs: (names: string) => `nach ${names}`,
    attempt: (number: number) => `Versuch ${number}`,
    jobCount: (count: number) => jobs(count),
    moreJobs: (count: number) =>
      `${counted(count, 'weiterer Job', 'weitere Jobs')} dieses Laufs ${count === 1 ? 'steht' : 'stehen'} in der Liste`,
  },
  failures: {
    title: (count: number) => (count === 1 ? 'Ein Job ist fehlgeschlagen' : `${jobs(count)} sind fehlgeschlagen`),
    more: (count: number) =>
      count === 1
        ? 'Ein weiterer fehlgeschlagener Job steht in der Liste'
        : `${numberText(count)} weitere fehlgeschlagene Jobs stehen in der Liste`,
    notShown: 'Die Seite des Jobs zeigt sein Protokoll.',
  },
  reports: {
    annotations: 'Anmerkungen',
    levels: { error: 'Fehler', warning: 'Warnung', notice: 'Hinweis' },
    counts: ({ error, warning, notice }: Readonly<Record<AnnotationLevel, number>>) =>
      listText(
        [
          error === 0 ? '' : counted(error, 'Fehler', 'Fehler'),
          warning === 0 ? '' : counted(warning, 'Warnung', 'Warnungen'),
          notice === 0 ? '' : counted(notice, 'Hinweis', 'Hinweise'),
        ].filter((each) => each !== ''),
      ),
    location: ({ path, start_line: first, end_line: last }: ActionAnnotationRow) =>
      first === 0 ? path : `${path}:${first}${last > first ? `–${last}` : ''}`,
    atLine: (line: number) => `Anmerkungen zu Zeile ${line}`,
    moreAtLine: (count: number) => counted(count, 'weitere Anmerkung', 'weitere Anmerkungen'),
    ofRun: (workflow: string, counts: string) => `${workflow}: ${counts}`,
    onlyFirst: (count: number) => `Nur die ersten ${numberText(count)} Anmerkungen stehen bei ihren Zeilen.`,
    summary: 'Zusammenfassung',
    summaryOf: (job: string) => `Zusammenfassung von ${job}`,
    moreSummaries: 'Weitere Zusammenfassungen sind zu lang für diese Seite; sie stehen auf den Seiten der Jobs.',
  },
  environments: {
    current: 'Aktuell',
    title: 'Umgebungen',
    titleOf: (repo: string) => `Umgebungen von ${repo}`,
    all: 'Alle Umgebungen',
    none: 'Noch keine Deployments',
    noneLead: (
      <>
        Hier stehen Jobs, die ein <code>environment</code> angeben.
      </>
    ),
    count: (count: number) => counted(count, 'Deployment', 'Deployments'),
  },
  job: {
    heldJob: 'Wartet auf seine Concurrency-Gruppe',
    heldJobLead: 'Der Job beginnt, wenn ein früheres Mitglied seiner Gruppe beendet ist.',
    title: (job: string, run: number) => `${job} · Lauf ${run}`,
    steps: 'Schritte',
    setUp: 'Job vorbereiten',
    complete: 'Job abschließen',
    whole: 'Protokoll',
    unnamed: (number: number) => `Schritt ${number}`,
    search: 'Dieses Protokoll durchsuchen',
    results: (count: number, query: string) => `${counted(count, 'Zeile enthält', 'Zeilen enthalten')} „${query}“`,
    noResults: (query: string) => `Keine Zeile enthält „${query}“`,
    someResults: 'Nur die ersten Zeilen werden gezeigt.',
    searchCut:
      'Die Suche endete vor dem Schluss dieses langen Protokolls; laden Sie es herunter, um den Rest zu durchsuchen.',
    backToSteps: 'Zurück zu den Schritten',
    raw: 'Rohes Protokoll',
    times: 'Zeiten',
    wrap: 'Umbrechen',
    earlier: (count: number) => counted(count, 'frühere Zeile', 'frühere Zeilen'),
    later: (count: number) => counted(count, 'spätere Zeile', 'spätere Zeilen'),
    line: (number: number) => `Zu Zeile ${number}`,
    show: 'Protokoll dieses Schritts zeigen',
    noLines: 'Dieser Schritt hat nichts geschrieben.',
    waiting: 'Wartet auf einen Runner',
    noRunner: { missing: 'Kein Runner für diesen Job', offline: 'Kein Runner ist verbunden' },
    noRunnerLead: {
      missing: (labels: string) =>
        `Kein Runner des Repositorys, seines Eigentümers oder dieser Instanz hat die Labels ${labels}.`,
      offline: (labels: string) => `Der Job beginnt, wenn ein Runner mit den Labels ${labels} wieder verbunden ist.`,
    },
    approval: 'Wartet auf eine Freigabe',
    approvalLead: 'Jemand mit Schreibrecht muss den Lauf freigeben.',
    toRun: 'Zum Lauf',
    held: 'Wartet auf einen früheren Lauf',
    heldLead: 'Der Lauf beginnt, wenn ein früherer Lauf seiner Gruppe beendet ist.',
    waitingLead: (labels: string) => `Der Job beginnt, wenn ein Runner mit den Labels ${labels} frei ist.`,
    blocked: 'Wartet auf andere Jobs',
    blockedLead: (names: string) => `Der Job beginnt nach ${names}.`,
    skipped: 'Übersprungen',
    skippedLead: 'Ein Job, den dieser braucht, war nicht erfolgreich, oder seine Bedingung ist nicht erfüllt.',
    cancelled: 'Vor dem Beginn abgebrochen',
    expired: 'Das Protokoll ist abgelaufen',
    expiredLead:
      'Protokolle werden nur eine Zeit lang aufbewahrt. Führen Sie den Job noch einmal aus, um ein neues zu bekommen.',
    noLog: 'Dieser Job hat kein Protokoll geschrieben',
    call: 'Dieser Job ruft einen anderen Workflow auf',
    callLead: 'Dessen Jobs stehen in der Liste des Laufs.',
    live: 'Läuft mit',
    cutLine: (count: number) => `… ${counted(count, 'weiteres Zeichen', 'weitere Zeichen')} im rohen Protokoll`,
    group: 'Gruppe',
    labels: 'Läuft auf',
    log: 'Protokoll',
  },
}
