/** Texts of the pages of blocked people. */
export const blockedTexts = {
  title: 'Blocked people',
  lead: 'Blocked people cannot follow you, comment on your issues or work in your repositories.',
  leadOf: (org: string) => `Blocked people cannot comment or work in the repositories of ${org}.`,
  name: 'Name of the person',
  block: 'Block',
  none: 'Nobody is blocked.',
  since: 'blocked ',
  unblock: 'Unblock',
  unblockOf: (name: string) => `Unblock ${name}`,
  self: 'you cannot block yourself',
  done: (name: string) => `${name} is blocked.`,
  ended: (name: string) => `${name} is not blocked any more.`,
}
