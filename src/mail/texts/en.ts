import type { MailTexts } from './mail-texts.ts'

const kinds = { issue: 'this issue', pull: 'this pull request' } as const

const lengthOf = (minutes: number): string =>
  minutes % 60 === 0 ? (minutes === 60 ? 'an hour' : `${minutes / 60} hours`) : `${minutes} minutes`

export const english: MailTexts = {
  language: 'en',
  opened: (who, kind) => `${who} opened ${kinds[kind]}.`,
  commented: (who, kind) => `${who} commented on ${kinds[kind]}.`,
  closed: (who, kind) => `${who} closed ${kinds[kind]}.`,
  reopened: (who, kind) => `${who} reopened ${kinds[kind]}.`,
  merged: (who) => `${who} merged this pull request.`,
  pushed: (who) => `${who} pushed new commits to this pull request.`,
  readied: (who) => `${who} says that this pull request is ready for review.`,
  approved: (who) => `${who} approved this pull request.`,
  rejected: (who) => `${who} asked for changes to this pull request.`,
  reviewed: (who) => `${who} reviewed this pull request.`,
  dismissed: (who) => `${who} dismissed a review of this pull request.`,
  assigned: (who, kind) => `${who} assigned ${kinds[kind]} to you.`,
  reviewRequested: (who) => `${who} asked for your review of this pull request.`,
  released: (who, tag, repository) => `${who} published ${tag} of ${repository}.`,
  offered: (who, repository, recipient) =>
    `${who} wants to hand the repository ${repository} over to ${recipient}. It can be accepted or rejected.`,
  offerSubject: (repository) => `The repository ${repository} is offered to you`,
  show: 'Show it',
  image: 'image',
  why: {
    mentioned: 'You get this mail because your name, or that of a team of yours, is in it.',
    assigned: 'You get this mail because somebody assigned you.',
    reviewRequested: 'You get this mail because somebody wants your review.',
    offered: 'You get this mail because you may accept the repository.',
    takesPart: 'You get this mail because you take part in this, or watch the repository.',
    watches: 'You get this mail because you watch the repository.',
  },
  lastOfHour: (count) =>
    `This is mail ${count} to you within the hour, and the last one: what else happens until the hour is over is among your notifications.`,
  unsubscribe: {
    link: 'No more mail about this',
    title: 'No more mail',
    fromConversation: 'No more mail about this conversation',
    fromRepository: 'Watch this repository no longer',
    fromAll: 'No more mail about anything that happens',
    doneConversation: 'There will be no more mail about this conversation, unless somebody calls you by your name.',
    doneRepository: 'You watch the repository no longer.',
    doneAll: 'There will be no more mail about what happens.',
  },
  welcome: {
    subject: (appName) => `Your account at ${appName}`,
    hello: (name) => `Hello ${name},`,
    made: (appName, name) => `an account at ${appName} was made for you. Your name there is ${name}.`,
    signIn: 'Sign in',
    firstPassword: 'Whoever made the account can tell you the first password; you will be asked to choose your own.',
    password: 'Whoever made the account can tell you the password.',
  },
  link: {
    confirmSubject: (appName) => `Confirm your account at ${appName}`,
    confirm: (appName, name) => `somebody, most likely you, wants an account with the name ${name} at ${appName}.`,
    confirmLink: 'Confirm it',
    knownSubject: (appName) => `You have an account at ${appName}`,
    known: (appName, name) =>
      `somebody wanted to sign up at ${appName} with this address. It belongs to an account already: ${name}.`,
    resetSubject: (appName) => `Another password for ${appName}`,
    reset: (appName, name) =>
      `somebody, most likely you, wants another password for the account ${name} at ${appName}.`,
    resetLink: 'Choose a password',
    noPassword: 'Passwords of this account are kept elsewhere: whoever looks after that place can help.',
    addressSubject: (appName) => `Confirm your address at ${appName}`,
    address: (appName, name) => `the account ${name} at ${appName} wants to use this address.`,
    addressLink: 'Confirm it',
    lasts: (minutes) => `The link works once, within ${lengthOf(minutes)}.`,
    notYou: 'If it was not you, do nothing: nothing changes then.',
  },
  invitation: {
    subject: (who, target) => `${who} invites you to ${target}`,
    toTeam: (who, organization, team, appName) =>
      `${who} invites you to the team ${team} of the organization ${organization} at ${appName}.`,
    toRepository: (who, repository, appName) => `${who} invites you to the repository ${repository} at ${appName}.`,
    show: 'Show the invitation',
    lasts: (days) => `The invitation can be accepted once, within ${days} days.`,
    unexpected: 'If you do not expect it, do nothing: nothing changes then.',
    acceptedSubject: (who, target) => `${who} accepted your invitation to ${target}`,
    accepted: (who, target, address) =>
      `${who} accepted the invitation to ${target} that you sent to ${address}. If this is not the person whom you invited, take the access back.`,
    acceptedLink: (who, target) =>
      `${who} accepted the invitation to ${target} by the link that you made. If this is not the person whom you invited, take the access back.`,
  },
  security: {
    subject: (appName) => `Your account at ${appName} was changed`,
    password: (account, appName) => `the password of your account ${account} at ${appName} was changed.`,
    address: (account, appName, address) =>
      `mails of your account ${account} at ${appName} go to another address now: ${address}. This one is its primary address no more.`,
    codes: (account, appName) =>
      `an authenticator app was set up for your account ${account} at ${appName}. Signing in takes a code from it.`,
    passkey: (account, appName, name) =>
      `the passkey “${name}” was added to your account ${account} at ${appName}. It signs in without the password.`,
    secondFactorRemoved: (account, appName) =>
      `a second factor (an authenticator app or a passkey) was removed from your account ${account} at ${appName}.`,
    token: (account, appName, name) =>
      `the access token “${name}” was created for your account ${account} at ${appName}.`,
    sshKey: (account, appName, name) => `the SSH key “${name}” was added to your account ${account} at ${appName}.`,
    application: (account, appName, name) =>
      `the OAuth2 application “${name}” was created or changed by your account ${account} at ${appName}.`,
    emailAddress: (account, appName, name) =>
      `the mail address ${name} was added to your account ${account} at ${appName}.`,
    webhook: (account, appName, name) =>
      `a webhook to ${name} was created or changed by your account ${account} at ${appName}.`,
    secret: (account, appName, name) =>
      `the secret ${name} of workflows was set by your account ${account} at ${appName}.`,
    deployKey: (account, appName, name) =>
      `the deploy key “${name}” was added by your account ${account} at ${appName}.`,
    openpgpKey: (account, appName, name) =>
      `the OpenPGP key ${name} was added by your account ${account} at ${appName}.`,
    pushMirror: (account, appName, name) =>
      `the push mirror ${name} was added by your account ${account} at ${appName}.`,
    runnerToken: (account, appName, name) =>
      `a registration token for runners of ${name} was shown by your account ${account} at ${appName}.`,
    administrator: (account, appName, name) =>
      `the account ${name} was made an administrator by your account ${account} at ${appName}.`,
    notYou: 'If it was not you, change your password now and look through your settings.',
    settings: 'Settings',
  },
  newAccount: {
    subject: (name) => `New account: ${name}`,
    text: (name) => `There is a new account with the name ${name}.`,
  },
}
