/** Texts of the lists of what concerns a person. */
export const mineTexts = {
  kinds: { issues: 'Issues', pulls: 'Pull requests' },
  views: {
    assigned: 'Assigned to you',
    created: 'Created by you',
    mentioned: 'Mentions you',
    review_requested: 'Waits for your review',
    reviewed: 'Reviewed by you',
  },
  search: 'Search these',
  open: 'Open',
  closed: 'Closed',
  state: 'State',
  empty: 'Nothing here',
  emptyLead: 'Nothing of this kind waits for you. Look at the other lists, or explore repositories.',
  explore: 'Explore repositories',
  parts: 'Lists',
  boards: 'Your views',
}
