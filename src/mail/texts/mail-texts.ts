type IssueKind = 'issue' | 'pull'

/** The texts of mails in one language. Names and texts of users are inserted unchanged. */
export interface MailTexts {
  /** As in `lang` of HTML. */
  readonly language: string
  readonly opened: (who: string, kind: IssueKind) => string
  readonly commented: (who: string, kind: IssueKind) => string
  readonly closed: (who: string, kind: IssueKind) => string
  readonly reopened: (who: string, kind: IssueKind) => string
  readonly merged: (who: string) => string
  readonly pushed: (who: string) => string
  readonly readied: (who: string) => string
  readonly approved: (who: string) => string
  readonly rejected: (who: string) => string
  readonly reviewed: (who: string) => string
  readonly dismissed: (who: string) => string
  readonly assigned: (who: string, kind: IssueKind) => string
  readonly reviewRequested: (who: string) => string
  readonly released: (who: string, tag: string, repository: string) => string
  readonly offered: (who: string, repository: string, recipient: string) => string
  readonly offerSubject: (repository: string) => string
  readonly show: string
  readonly image: string
  readonly why: {
    readonly mentioned: string
    readonly assigned: string
    readonly reviewRequested: string
    readonly offered: string
    readonly takesPart: string
    readonly watches: string
  }
  readonly lastOfHour: (count: number) => string
  readonly unsubscribe: {
    readonly link: string
    readonly title: string
    readonly fromConversation: string
    readonly fromRepository: string
    readonly fromAll: string
    readonly doneConversation: string
    readonly doneRepository: string
    readonly doneAll: string
  }
  readonly welcome: {
    readonly subject: (appName: string) => string
    readonly hello: (name: string) => string
    readonly made: (appName: string, name: string) => string
    readonly signIn: string
    readonly firstPassword: string
    readonly password: string
  }
  /** Mails with a requested link. */
  readonly link: {
    readonly confirmSubject: (appName: string) => string
    readonly confirm: (appName: string, name: string) => string
    readonly confirmLink: string
    readonly knownSubject: (appName: string) => string
    readonly known: (appName: string, name: string) => string
    readonly resetSubject: (appName: string) => string
    readonly reset: (appName: string, name: string) => string
    readonly resetLink: string
    readonly noPassword: string
    readonly addressSubject: (appName: string) => string
    readonly address: (appName: string, name: string) => string
    readonly addressLink: string
    readonly lasts: (minutes: number) => string
    readonly notYou: string
  }
  readonly invitation: {
    readonly subject: (who: string, target: string) => string
    readonly toTeam: (who: string, organization: string, team: string, appName: string) => string
    readonly toRepository: (who: string, repository: string, appName: string) => string
    readonly show: string
    readonly lasts: (days: number) => string
    readonly unexpected: string
    readonly acceptedSubject: (who: string, target: string) => string
    /** Each follows a greeting. */
    readonly accepted: (who: string, target: string, address: string) => string
    readonly acceptedLink: (who: string, target: string) => string
  }
  readonly security: {
    readonly subject: (appName: string) => string
    /** Each follows a greeting; `name` is the owner's name for a token or key. */
    readonly password: (account: string, appName: string) => string
    readonly address: (account: string, appName: string, address: string) => string
    readonly codes: (account: string, appName: string) => string
    readonly passkey: (account: string, appName: string, name: string) => string
    readonly secondFactorRemoved: (account: string, appName: string) => string
    readonly token: (account: string, appName: string, name: string) => string
    readonly sshKey: (account: string, appName: string, name: string) => string
    readonly application: (account: string, appName: string, name: string) => string
    readonly emailAddress: (account: string, appName: string, name: string) => string
    readonly webhook: (account: string, appName: string, name: string) => string
    readonly secret: (account: string, appName: string, name: string) => string
    readonly deployKey: (account: string, appName: string, name: string) => string
    readonly openpgpKey: (account: string, appName: string, name: string) => string
    readonly pushMirror: (account: string, appName: string, name: string) => string
    readonly runnerToken: (account: string, appName: string, name: string) => string
    readonly administrator: (account: string, appName: string, name: string) => string
    readonly notYou: string
    readonly settings: string
  }
  readonly newAccount: { readonly subject: (name: string) => string; readonly text: (name: string) => string }
}
