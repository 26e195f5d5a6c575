import { counted, numberText } from '../amounts.ts'

/** Texts of the frames around the pages of a repository, an account or a group of settings. */
export const frameTexts = {
  repository: {
    tabs: 'Repository',
    marks: 'Watch, star or fork',
    code: 'Code',
    issues: 'Issues',
    pulls: 'Pull requests',
    projects: 'Projects',
    actions: 'Actions',
    packages: 'Packages',
    releases: 'Releases',
    wiki: 'Wiki',
    activity: 'Activity',
    search: 'Search',
    settings: 'Settings',
    private: 'Private',
    internal: 'Internal',
    archived: 'Archived',
    template: 'Template',
    mirror: 'Mirror',
    archivedSince: 'This repository is archived. It can be read, but not changed.',
    forkedFrom: 'Forked from ',
    mirrorOf: 'Mirror of ',
    star: 'Star',
    unstar: 'Unstar',
    watch: 'Watch',
    fork: 'Fork',
    stars: (count: number) => `See the people who starred this: ${count}`,
    watchers: (count: number) => `See the people who watch this: ${count}`,
    forks: (count: number) => `See the forks: ${count}`,
    signInFirst: 'Sign in first',
  },
  /** What a person hears of a repository. */
  watching: {
    title: (name: string, level: string) => `Watching ${name}: ${level}`,
    menu: 'What you hear of the repository',
    levels: {
      all: { name: 'All activity', button: 'Watching', hint: 'Each new issue, pull request, comment and release.' },
      releases: {
        name: 'Releases',
        button: 'Releases',
        hint: 'New releases by mail and on the home page, and what you take part in.',
      },
      participating: {
        name: 'Participating and mentions',
        button: 'Watch',
        hint: 'What you take part in, and what mentions or asks you.',
      },
      nothing: {
        name: 'Nothing',
        button: 'Ignoring',
        hint: 'No notification and no mail, even if somebody mentions you.',
      },
    },
  },
  person: {
    tabs: 'Profile',
    repositories: 'Repositories',
    packages: 'Packages',
    activity: 'Activity',
    stars: 'Stars',
    followers: 'Followers',
    following: 'Following',
  },
  organization: {
    tabs: 'Organization',
    repositories: 'Repositories',
    issues: 'Issues',
    projects: 'Projects',
    packages: 'Packages',
    activity: 'Activity',
    people: 'People',
    teams: 'Teams',
    settings: 'Settings',
    private: 'Private',
    limited: 'Limited',
  },
}

/** The texts about a transfer that waits for the recipient. */
export const transferTexts = {
  offered: (recipient: string) => `This repository is offered to ${recipient}.`,
  accept: 'Accept',
  reject: 'Reject',
  cancel: 'Cancel the transfer',
  accepted: (owner: string) => `The repository now belongs to ${owner}.`,
  rejected: 'The transfer is rejected.',
  cancelled: 'The transfer is cancelled.',
} as const

/** Texts about checks and signatures of commits. */
export const commitMarkTexts = {
  checks: (passed: number, total: number) => `${numberText(passed)} of ${counted(total, 'check')} passed`,
  signatureBroken: 'The signature does not fit the commit',
  signatureKey: (key: string) => `key ${key}`,
  signatureUnknown: 'Signed with an unknown key',
  signatureUnread: 'Signed in a form that cannot be read',
  signedBy: (name: string) => (name === '' ? 'Verified signature' : `Verified signature by ${name}`),
} as const
