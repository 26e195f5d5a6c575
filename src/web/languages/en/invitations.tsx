import type { ComponentChildren } from 'preact'

/** Texts of invitations: their lists, and the page that a link opens. */
export const invitationTexts = {
  title: 'Invitations',
  lead: (days: number) => `An invitation can be accepted once, within ${days} days.`,
  none: 'No open invitations.',
  nameOrAddress: 'Name or email address',
  withMail: 'A mail address gets an invitation by mail.',
  withoutMail: 'This server sends no mail: for a mail address you get a link to hand over.',
  link: 'Link',
  permission: 'Access by the link',
  makeLink: 'Make a link',
  newLink: 'Link of the invitation',
  linkOnce: 'Hand this link over to the person whom you invite. It is shown only once. Anyone who has it can accept.',
  sent: (address: string) => `The invitation to ${address} is on its way.`,
  invitedBy: (name: string) => `invited by ${name}`,
  ends: (when: ComponentChildren) => <>ends {when}</>,
  revoke: 'Revoke',
  revokeOf: (whom: string) => `Revoke the invitation: ${whom}`,
  confirmRevoke: 'Revoke the invitation? Its link does not work any more.',
  revoked: 'The invitation is revoked.',
  answered: 'Answered invitations',
  accepted: (name: string) => `${name} accepted`,
  declined: 'Declined',
  somebody: 'A deleted account',
  byLink: 'by a link',
  byMail: 'by mail',
  sentTo: (address: string) => `sent to ${address}`,
  page: {
    title: 'Invitation',
    toTeam: (who: ComponentChildren, team: string, org: string) => (
      <>
        {who} invites you to the team <strong>{team}</strong> of the organization <strong>{org}</strong>.
      </>
    ),
    toRepository: (who: ComponentChildren, repository: string) => (
      <>
        {who} invites you to the repository <strong>{repository}</strong>.
      </>
    ),
    gives: {
      read: 'Read code, issues and pull requests, and comment.',
      write: 'Read and push code, and manage issues, pull requests and releases.',
      admin: 'Everything in the repository, also its settings and the access of others.',
    },
    makesOwner: 'You become an owner: you may change everything in the organization.',
    givesTeam: 'You get the access that the team has to its repositories.',
    asAccount: (account: string, who: string) => `You accept as ${account}. ${who} sees which account accepts.`,
    otherAddress:
      'The invitation was sent to an address that your account has not confirmed. Accept it only if it is meant for you.',
    accept: 'Accept',
    decline: 'Decline',
    joined: (team: string, org: string) => `You are on the team ${team} of ${org}.`,
    shared: (repository: string) => `You have access to ${repository}.`,
    declined: 'You declined the invitation.',
    guest: 'Somebody invites you. Sign in to see the invitation.',
    signUp: 'No account yet? Sign up, and open the link of the invitation again if you do not come back here.',
    closed: 'Nobody can sign up here: without an account, ask the person who invites you, or an administrator.',
  },
}
