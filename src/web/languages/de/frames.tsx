import { counted, numberText } from '../amounts.ts'

/** Texts of the frames around the pages of a repository, an account or a group of settings. */
export const frameTexts = {
  repository: {
    tabs: 'Repository',
    marks: 'Beobachten, Stern oder Fork',
    code: 'Code',
    issues: 'Issues',
    pulls: 'Pull-Requests',
    projects: 'Projekte',
    actions: 'Actions',
    packages: 'Pakete',
    releases: 'Releases',
    wiki: 'Wiki',
    activity: 'Aktivität',
    search: 'Suche',
    settings: 'Einstellungen',
    private: 'Privat',
    internal: 'Intern',
    archived: 'Archiviert',
    template: 'Vorlage',
    mirror: 'Mirror',
    archivedSince: 'Dieses Repository ist archiviert. Es kann gelesen, aber nicht geändert werden.',
    forkedFrom: 'Fork von ',
    mirrorOf: 'Mirror von ',
    star: 'Stern geben',
    unstar: 'Stern entfernen',
    watch: 'Beobachten',
    fork: 'Forken',
    stars: (count: number) => `Personen ansehen, die einen Stern gaben: ${count}`,
    watchers: (count: number) => `Personen ansehen, die dies beobachten: ${count}`,
    forks: (count: number) => `Forks ansehen: ${count}`,
    signInFirst: 'Zuerst anmelden',
  },
  /** What a person hears of a repository. */
  watching: {
    title: (name: string, level: string) => `${name} beobachten: ${level}`,
    menu: 'Was Sie von dem Repository hören',
    levels: {
      all: {
        name: 'Alle Aktivitäten',
        button: 'Beobachtet',
        hint: 'Alle neuen Issues, Pull-Requests, Kommentare und Releases.',
      },
      releases: {
        name: 'Releases',
        button: 'Releases',
        hint: 'Neue Releases per E-Mail und auf der Startseite, und woran Sie beteiligt sind.',
      },
      participating: {
        name: 'Beteiligung und Erwähnungen',
        button: 'Beobachten',
        hint: 'Woran Sie beteiligt sind, und was Sie erwähnt oder fragt.',
      },
      nothing: {
        name: 'Nichts',
        button: 'Ignoriert',
        hint: 'Keine Benachrichtigung und keine E-Mail, auch wenn jemand Sie erwähnt.',
      },
    },
  },
  person: {
    tabs: 'Profil',
    repositories: 'Repositorys',
    packages: 'Pakete',
    activity: 'Aktivität',
    stars: 'Sterne',
    followers: 'Follower',
    following: 'Folgt',
  },
  organization: {
    tabs: 'Organisation',
    repositories: 'Repositorys',
    issues: 'Issues',
    projects: 'Projekte',
    packages: 'Pakete',
    activity: 'Aktivität',
    people: 'Personen',
    teams: 'Teams',
    settings: 'Einstellungen',
    private: 'Privat',
    limited: 'Eingeschränkt',
  },
}

/** The texts about a transfer that waits for the recipient. */
export const transferTexts = {
  offered: (recipient: string) => `Dieses Repository wird ${recipient} angeboten.`,
  accept: 'Annehmen',
  reject: 'Ablehnen',
  cancel: 'Übergabe abbrechen',
  accepted: (owner: string) => `Das Repository gehört jetzt ${owner}.`,
  rejected: 'Die Übergabe ist abgelehnt.',
  cancelled: 'Die Übergabe ist abgebrochen.',
} as const

/** Texts about checks and signatures of commits. */
export const commitMarkTexts = {
  checks: (passed: number, total: number) =>
    `${numberText(passed)} von ${counted(total, 'Prüfung', 'Prüfungen')} bestanden`,
  signatureBroken: 'Die Signatur passt nicht zum Commit',
  signatureKey: (key: string) => `Schlüssel ${key}`,
  signatureUnknown: 'Mit einem unbekannten Schlüssel signiert',
  signatureUnread: 'In einer Form signiert, die nicht gelesen werden kann',
  signedBy: (name: string) => (name === '' ? 'Bestätigte Signatur' : `Bestätigte Signatur von ${name}`),
} as const
