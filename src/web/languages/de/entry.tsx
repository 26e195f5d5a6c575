import type { ComponentChildren } from 'preact'

/** Texts of the pages that lead into an account. A function takes what its text names; a text with markup is JSX. */
export const entryTexts = {
  signIn: {
    heading: (appName: string) => `Bei ${appName} anmelden`,
    nameOrAddress: 'Name oder Mailadresse',
    remember: (days: number) => `${days} Tage angemeldet bleiben`,
    passwordsOff: 'Mit Passwörtern kann man sich hier nicht anmelden.',
    withProvider: (provider: string) => `Mit ${provider} anmelden`,
    withPasskey: 'Mit einem Passkey anmelden',
    forgotPassword: 'Passwort vergessen?',
    noAccount: 'Noch kein Konto?',
    wrong: 'Der Name, die Adresse oder das Passwort stimmt nicht.',
    unknownPasskey:
      'Dieser Passkey gehört zu keinem Konto hier, oder die Seite ist abgelaufen. Versuchen Sie es noch einmal.',
    done: {
      confirmed: 'Ihr Konto ist bereit. Melden Sie sich an.',
      password: 'Das Passwort ist geändert. Melden Sie sich damit an.',
      address: 'Die Adresse ist bestätigt.',
      waiting: 'Ihr Konto wurde angelegt. Sie können sich anmelden, sobald die Verwaltung es freigegeben hat.',
    } as Readonly<Record<string, string>>,
  },
  signUp: {
    heading: (appName: string) => `Bei ${appName} registrieren`,
    nameHint: 'Buchstaben, Ziffern und dazwischen einzelne - _ . Alle können ihn sehen.',
    working: 'Einen Moment: Ihr Browser beweist, dass er kein Programm für massenhafte Registrierungen ist.',
    haveAccount: 'Haben Sie schon ein Konto?',
  },
  checkMail: {
    title: 'Sehen Sie in Ihre Mails',
    signUp: ({ isSentAgain, minutes }: { isSentAgain: boolean; minutes: number }) =>
      `${isSentAgain ? 'Eine weitere Mail' : 'Eine Mail'} ist zu Ihrer Adresse unterwegs. Ihr Link legt Ihr Konto an und gilt ${minutes} Minuten.`,
    reset: (address: string, minutes: number) =>
      `Wenn ein Konto die Adresse ${address} hat, ist eine Mail dorthin unterwegs. Ihr Link gilt ${minutes} Minuten.`,
    nothingCame: 'Nichts angekommen?',
    sendAgainHint: 'Sehen Sie im Spam-Ordner nach, oder senden Sie die Mail noch einmal:',
    sendAgain: 'Noch einmal senden',
    spamFolder: 'Sehen Sie im Spam-Ordner nach, oder',
    askAgain: 'fordern Sie noch eine an',
  },
  confirm: {
    title: 'Ihr Konto anlegen',
    withAddress: (address: string, name: string | undefined) => (
      <>
        Mit der Adresse <strong>{address}</strong>
        {name === undefined ? '.' : ` und dem Namen ${name}.`}
      </>
    ),
    create: 'Anlegen',
  },
  recovery: {
    title: 'Passwort zurücksetzen',
    intro: 'Wir senden eine Mail mit einem Link an die Adresse Ihres Kontos.',
    send: 'Mail senden',
    back: 'Zurück zur Anmeldung',
    newPasswordFor: (login: string) => `Neues Passwort für ${login}`,
    secondFactor: 'Zweiter Faktor',
    secondFactorHint: 'Ein Code aus Ihrer Authenticator-App oder der Notfallcode.',
    signsOut: 'Damit wird jeder Browser abgemeldet, der bei diesem Konto angemeldet ist.',
  },
  secondFactor: {
    title: 'Zweiter Faktor',
    code: 'Code aus Ihrer Authenticator-App',
    scratch: 'Notfallcode',
    needsScripts: 'Ihr Passkey braucht einen Browser, der Skripte ausführt.',
    usePasskey: 'Passkey benutzen',
    useScratch: 'Notfallcode benutzen',
    useDevice: 'Gerät benutzen',
    wrongPasskey: 'Dieser Passkey gehört nicht zum Konto, oder die Seite ist abgelaufen. Versuchen Sie es noch einmal.',
    wrongCode: 'Dieser Code ist falsch oder schon benutzt.',
  },
  authorize: {
    title: (application: string) => `${application} berechtigen`,
    heading: (application: string) => `„${application}“ berechtigen?`,
    target: (address: string) => (
      <>
        Sie werden zu <code>{address}</code> geleitet. Sie können die Berechtigung jederzeit in Ihren Einstellungen
        widerrufen.
      </>
    ),
    allow: 'Berechtigen',
    deny: 'Ablehnen',
    owner: (login: string | undefined) =>
      login === undefined
        ? 'Die Verwaltung dieser Site hat diese Anwendung registriert.'
        : `Diese Anwendung gehört ${login}.`,
    scope: (login: string) => (
      <>
        Sie möchte Ihr Konto <strong>{login}</strong> benutzen. Sie könnte:
      </>
    ),
  },
  device: {
    title: 'Gerät anmelden',
    intro:
      'Ein Programm auf einem Gerät ohne Browser zeigt einen Code. Geben Sie ihn hier ein, damit das Programm Ihr Konto benutzen kann.',
    code: 'Code',
    codeHint: 'Acht Buchstaben, wie WDJB-MJHT.',
    continue: 'Weiter',
    unknownCode: 'Kein Gerät wartet mit diesem Code. Vielleicht wurde er schon beantwortet, oder er ist abgelaufen.',
    allow: (application: string) => `„${application}“ auf einem Gerät berechtigen?`,
    shown: (code: string) => (
      <>
        Ein Gerät zeigt den Code <strong>{code}</strong>.
      </>
    ),
    requestSent: (address: string, moment: ComponentChildren) => (
      <>
        Es hat von {address} aus gefragt: {moment}.
      </>
    ),
    onlyYours:
      'Fahren Sie nur fort, wenn es Ihr Gerät ist und Sie dies selbst begonnen haben. Wer Ihnen den Code geschickt hat, käme in Ihr Konto.',
    revocable: 'Sie können die Berechtigung jederzeit in Ihren Einstellungen widerrufen.',
    allowed: 'Das Gerät ist angemeldet',
    denied: 'Das Gerät ist nicht angemeldet',
    allowedHint: (application: string) =>
      `„${application}“ kann Ihr Konto jetzt benutzen. Kehren Sie zum Gerät zurück; Sie können diese Seite schließen.`,
    deniedHint: (application: string) =>
      `„${application}“ hat keinen Zugang bekommen. Wenn Sie dies nicht selbst begonnen haben, ist nichts weiter zu tun.`,
  },
  newcomer: {
    title: 'Welches Konto ist Ihres?',
    unlinked: (provider: string, name: string) => (
      <>
        Sie kommen von {provider} als <strong>{name}</strong>. Damit ist hier kein Konto verknüpft.
      </>
    ),
    linkHint: (names: { login: string; name: string; provider: string }) => (
      <>
        Sie sind als <strong>{names.login}</strong> angemeldet. Von nun an kann sich {names.name} von {names.provider}{' '}
        bei diesem Konto anmelden.
      </>
    ),
    link: (login: string) => `Mit ${login} verknüpfen`,
    haveAccount: 'Ich habe ein Konto: anmelden und verknüpfen',
    isNew: 'Ich bin neu hier',
    address: (address: string) => `Ihre Adresse wird ${address} sein.`,
    create: 'Konto anlegen',
  },
}
