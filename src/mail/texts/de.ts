import type { MailTexts } from './mail-texts.ts'

const kinds = { issue: 'dieses Issue', pull: 'diesen Pull-Request' } as const

const lengthOf = (minutes: number): string =>
  minutes % 60 === 0 ? (minutes === 60 ? 'einer Stunde' : `${minutes / 60} Stunden`) : `${minutes} Minuten`

export const german: MailTexts = {
  language: 'de',
  opened: (who, kind) => `${who} hat ${kinds[kind]} eröffnet.`,
  commented: (who, kind) => `${who} hat ${kinds[kind]} kommentiert.`,
  closed: (who, kind) => `${who} hat ${kinds[kind]} geschlossen.`,
  reopened: (who, kind) => `${who} hat ${kinds[kind]} wieder geöffnet.`,
  merged: (who) => `${who} hat diesen Pull-Request zusammengeführt.`,
  pushed: (who) => `${who} hat neue Commits in diesen Pull-Request gepusht.`,
  readied: (who) => `Laut ${who} kann dieser Pull-Request begutachtet werden.`,
  approved: (who) => `${who} hat diesen Pull-Request gutgeheißen.`,
  rejected: (who) => `${who} bittet um Änderungen an diesem Pull-Request.`,
  reviewed: (who) => `${who} hat diesen Pull-Request begutachtet.`,
  dismissed: (who) => `${who} hat ein Gutachten zu diesem Pull-Request verworfen.`,
  assigned: (who, kind) => `${who} hat Ihnen ${kinds[kind]} zugewiesen.`,
  reviewRequested: (who) => `${who} bittet Sie, diesen Pull-Request zu begutachten.`,
  released: (who, tag, repository) => `${who} hat ${tag} von ${repository} veröffentlicht.`,
  offered: (who, repository, recipient) =>
    `${who} möchte das Repository ${repository} an ${recipient} übergeben. Es kann angenommen oder abgelehnt werden.`,
  offerSubject: (repository) => `Das Repository ${repository} wird Ihnen angeboten`,
  show: 'Ansehen',
  image: 'Bild',
  why: {
    mentioned: 'Sie erhalten diese Mail, weil Ihr Name oder der eines Ihrer Teams darin steht.',
    assigned: 'Sie erhalten diese Mail, weil Ihnen etwas zugewiesen wurde.',
    reviewRequested: 'Sie erhalten diese Mail, weil Ihr Gutachten erbeten wird.',
    offered: 'Sie erhalten diese Mail, weil Sie das Repository annehmen dürfen.',
    takesPart: 'Sie erhalten diese Mail, weil Sie daran beteiligt sind oder das Repository beobachten.',
    watches: 'Sie erhalten diese Mail, weil Sie das Repository beobachten.',
  },
  lastOfHour: (count) =>
    `Dies ist die ${count}. Mail an Sie in dieser Stunde und die letzte: Was bis zum Ende der Stunde noch geschieht, steht unter Ihren Benachrichtigungen.`,
  unsubscribe: {
    link: 'Keine Mails mehr dazu',
    title: 'Keine Mails mehr',
    fromConversation: 'Keine Mails mehr zu dieser Unterhaltung',
    fromRepository: 'Dieses Repository nicht mehr beobachten',
    fromAll: 'Keine Mails mehr zu allem, was geschieht',
    doneConversation: 'Zu dieser Unterhaltung kommen keine Mails mehr, außer wenn jemand Sie beim Namen nennt.',
    doneRepository: 'Sie beobachten das Repository nicht mehr.',
    doneAll: 'Zu dem, was geschieht, kommen keine Mails mehr.',
  },
  welcome: {
    subject: (appName) => `Ihr Konto bei ${appName}`,
    hello: (name) => `Guten Tag ${name},`,
    made: (appName, name) => `für Sie wurde ein Konto bei ${appName} angelegt. Ihr Name dort ist ${name}.`,
    signIn: 'Anmelden',
    firstPassword: 'Das erste Passwort nennt Ihnen, wer das Konto angelegt hat; danach wählen Sie ein eigenes.',
    password: 'Das Passwort nennt Ihnen, wer das Konto angelegt hat.',
  },
  link: {
    confirmSubject: (appName) => `Bestätigen Sie Ihr Konto bei ${appName}`,
    confirm: (appName, name) => `jemand, vermutlich Sie, möchte bei ${appName} ein Konto mit dem Namen ${name} haben.`,
    confirmLink: 'Bestätigen',
    knownSubject: (appName) => `Sie haben ein Konto bei ${appName}`,
    known: (appName, name) =>
      `jemand wollte sich mit dieser Adresse bei ${appName} registrieren. Sie gehört schon zu einem Konto: ${name}.`,
    resetSubject: (appName) => `Ein anderes Passwort für ${appName}`,
    reset: (appName, name) =>
      `jemand, vermutlich Sie, möchte ein anderes Passwort für das Konto ${name} bei ${appName}.`,
    resetLink: 'Passwort wählen',
    noPassword: 'Die Passwörter dieses Kontos werden anderswo verwaltet; dort kann man Ihnen helfen.',
    addressSubject: (appName) => `Bestätigen Sie Ihre Adresse bei ${appName}`,
    address: (appName, name) => `das Konto ${name} bei ${appName} möchte diese Adresse verwenden.`,
    addressLink: 'Bestätigen',
    lasts: (minutes) => `Der Link gilt einmal, innerhalb von ${lengthOf(minutes)}.`,
    notYou: 'Wenn Sie das nicht waren, brauchen Sie nichts zu tun: Dann ändert sich nichts.',
  },
  invitation: {
    subject: (who, target) => `${who} lädt Sie zu ${target} ein`,
    toTeam: (who, organization, team, appName) =>
      `${who} lädt Sie in das Team ${team} der Organisation ${organization} bei ${appName} ein.`,
    toRepository: (who, repository, appName) => `${who} lädt Sie zum Repository ${repository} bei ${appName} ein.`,
    show: 'Einladung ansehen',
    lasts: (days) => `Die Einladung kann einmal angenommen werden, innerhalb von ${days} Tagen.`,
    unexpected: 'Wenn Sie keine Einladung erwarten, tun Sie nichts: Dann ändert sich nichts.',
    acceptedSubject: (who, target) => `${who} hat Ihre Einladung zu ${target} angenommen`,
    accepted: (who, target, address) =>
      `${who} hat die Einladung zu ${target} angenommen, die Sie an ${address} geschickt haben. Wenn das nicht die eingeladene Person ist, entziehen Sie den Zugang wieder.`,
    acceptedLink: (who, target) =>
      `${who} hat die Einladung zu ${target} über den Link angenommen, den Sie erstellt haben. Wenn das nicht die eingeladene Person ist, entziehen Sie den Zugang wieder.`,
  },
  security: {
    subject: (appName) => `Ihr Konto bei ${appName} wurde geändert`,
    password: (account, appName) => `das Passwort Ihres Kontos ${account} bei ${appName} wurde geändert.`,
    address: (account, appName, address) =>
      `Mails Ihres Kontos ${account} bei ${appName} gehen jetzt an eine andere Adresse: ${address}. Diese hier ist nicht mehr die Hauptadresse.`,
    codes: (account, appName) =>
      `für Ihr Konto ${account} bei ${appName} wurde eine Authenticator-App eingerichtet. Die Anmeldung verlangt einen Code von ihr.`,
    passkey: (account, appName, name) =>
      `zu Ihrem Konto ${account} bei ${appName} kam der Passkey „${name}“ hinzu. Mit ihm geht die Anmeldung ohne Passwort.`,
    secondFactorRemoved: (account, appName) =>
      `ein zweiter Faktor (eine Authenticator-App oder ein Passkey) Ihres Kontos ${account} bei ${appName} wurde entfernt.`,
    token: (account, appName, name) =>
      `für Ihr Konto ${account} bei ${appName} wurde das Zugriffstoken „${name}“ angelegt.`,
    sshKey: (account, appName, name) =>
      `zu Ihrem Konto ${account} bei ${appName} kam der SSH-Schlüssel „${name}“ hinzu.`,
    application: (account, appName, name) =>
      `durch Ihr Konto ${account} bei ${appName} wurde die OAuth2-Anwendung „${name}“ angelegt oder geändert.`,
    emailAddress: (account, appName, name) =>
      `zu Ihrem Konto ${account} bei ${appName} kam die Mailadresse ${name} hinzu.`,
    webhook: (account, appName, name) =>
      `durch Ihr Konto ${account} bei ${appName} wurde ein Webhook zu ${name} angelegt oder geändert.`,
    secret: (account, appName, name) =>
      `durch Ihr Konto ${account} bei ${appName} wurde das Secret ${name} für Workflows gesetzt.`,
    deployKey: (account, appName, name) =>
      `durch Ihr Konto ${account} bei ${appName} kam der Deploy-Schlüssel „${name}“ hinzu.`,
    openpgpKey: (account, appName, name) =>
      `durch Ihr Konto ${account} bei ${appName} kam der OpenPGP-Schlüssel ${name} hinzu.`,
    pushMirror: (account, appName, name) =>
      `durch Ihr Konto ${account} bei ${appName} kam der Push-Mirror ${name} hinzu.`,
    runnerToken: (account, appName, name) =>
      `durch Ihr Konto ${account} bei ${appName} wurde ein Registrierungstoken für Runner von ${name} angezeigt.`,
    administrator: (account, appName, name) =>
      `durch Ihr Konto ${account} bei ${appName} wurde das Konto ${name} zum Administrator gemacht.`,
    notYou: 'Wenn Sie das nicht waren, ändern Sie jetzt Ihr Passwort und sehen Sie Ihre Einstellungen durch.',
    settings: 'Einstellungen',
  },
  newAccount: {
    subject: (name) => `Neues Konto: ${name}`,
    text: (name) => `Es gibt ein neues Konto mit dem Namen ${name}.`,
  },
}
