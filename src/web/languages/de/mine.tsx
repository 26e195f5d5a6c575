/** Texts of the lists of what concerns a person. */
export const mineTexts = {
  kinds: { issues: 'Issues', pulls: 'Pull-Requests' },
  views: {
    assigned: 'Ihnen zugewiesen',
    created: 'Von Ihnen eröffnet',
    mentioned: 'Erwähnen Sie',
    review_requested: 'Warten auf Ihr Gutachten',
    reviewed: 'Von Ihnen begutachtet',
  },
  search: 'Diese durchsuchen',
  open: 'Offen',
  closed: 'Geschlossen',
  state: 'Stand',
  empty: 'Nichts hier',
  emptyLead: 'Nichts dieser Art wartet auf Sie. Sehen Sie die anderen Listen an, oder entdecken Sie Repositorys.',
  explore: 'Repositorys entdecken',
  parts: 'Listen',
  boards: 'Ihre Ansichten',
}
