import type { ComponentChildren } from 'preact'

export const invitationTexts = {
  title: 'Einladungen',
  lead: (days: number) => `Eine Einladung kann einmal angenommen werden, innerhalb von ${days} Tagen.`,
  none: 'Keine offenen Einladungen.',
  nameOrAddress: 'Name oder Mailadresse',
  withMail: 'Eine Mailadresse erhält eine Einladung per Mail.',
  withoutMail: 'Dieser Server verschickt keine Mails: Für eine Mailadresse erhalten Sie einen Link zum Weitergeben.',
  link: 'Link',
  permission: 'Zugang durch den Link',
  makeLink: 'Link anlegen',
  newLink: 'Link der Einladung',
  linkOnce:
    'Geben Sie diesen Link der Person, die Sie einladen. Er wird nur einmal angezeigt. Wer ihn hat, kann annehmen.',
  sent: (address: string) => `Die Einladung an ${address} ist unterwegs.`,
  invitedBy: (name: string) => `eingeladen von ${name}`,
  ends: (when: ComponentChildren) => <>endet {when}</>,
  revoke: 'Zurückziehen',
  revokeOf: (whom: string) => `Einladung zurückziehen: ${whom}`,
  confirmRevoke: 'Die Einladung zurückziehen? Ihr Link gilt dann nicht mehr.',
  revoked: 'Die Einladung ist zurückgezogen.',
  answered: 'Beantwortete Einladungen',
  accepted: (name: string) => `${name} hat angenommen`,
  declined: 'Abgelehnt',
  somebody: 'Ein gelöschtes Konto',
  byLink: 'durch einen Link',
  byMail: 'per Mail',
  sentTo: (address: string) => `an ${address} geschickt`,
  page: {
    title: 'Einladung',
    toTeam: (who: ComponentChildren, team: string, org: string) => (
      <>
        {who} lädt Sie in das Team <strong>{team}</strong> der Organisation <strong>{org}</strong> ein.
      </>
    ),
    toRepository: (who: ComponentChildren, repository: string) => (
      <>
        {who} lädt Sie zum Repository <strong>{repository}</strong> ein.
      </>
    ),
    gives: {
      read: 'Code, Issues und Pull-Requests lesen und kommentieren.',
      write: 'Code lesen und pushen, und Issues, Pull-Requests und Releases verwalten.',
      admin: 'Alles im Repository, auch die Einstellungen und den Zugang anderer.',
    },
    makesOwner: 'Sie werden Eigentümer: Sie können in der Organisation alles ändern.',
    givesTeam: 'Sie erhalten den Zugang, den das Team zu seinen Repositorys hat.',
    asAccount: (account: string, who: string) => `Sie nehmen als ${account} an. ${who} sieht, welches Konto annimmt.`,
    otherAddress:
      'Die Einladung ging an eine Adresse, die Ihr Konto nicht bestätigt hat. Nehmen Sie nur an, wenn sie für Sie bestimmt ist.',
    accept: 'Annehmen',
    decline: 'Ablehnen',
    joined: (team: string, org: string) => `Sie sind im Team ${team} von ${org}.`,
    shared: (repository: string) => `Sie haben Zugang zu ${repository}.`,
    declined: 'Sie haben die Einladung abgelehnt.',
    guest: 'Sie sind eingeladen. Melden Sie sich an, um die Einladung zu sehen.',
    signUp:
      'Noch kein Konto? Registrieren Sie sich, und öffnen Sie den Link der Einladung noch einmal, wenn Sie nicht hierher zurückkommen.',
    closed:
      'Niemand kann sich hier selbst registrieren: Bitten Sie ohne Konto die Person, die Sie einlädt, oder einen Administrator.',
  },
}
