/** Texts of the pages of blocked people. */
export const blockedTexts = {
  title: 'Blockierte Personen',
  lead: 'Blockierte Personen können Ihnen nicht folgen, Ihre Issues nicht kommentieren und in Ihren Repositorys nicht arbeiten.',
  leadOf: (org: string) => `Blockierte Personen können in den Repositorys von ${org} nicht kommentieren oder arbeiten.`,
  name: 'Name der Person',
  block: 'Blockieren',
  none: 'Niemand ist blockiert.',
  since: 'blockiert ',
  unblock: 'Nicht mehr blockieren',
  unblockOf: (name: string) => `${name} nicht mehr blockieren`,
  self: 'Sie können sich nicht selbst blockieren',
  done: (name: string) => `${name} ist blockiert.`,
  ended: (name: string) => `${name} ist nicht mehr blockiert.`,
}
