/** Texts of the shared parts. */
export const uiTexts = {
  previous: 'Previous',
  next: 'Next',
  page: (number: number) => `Page ${number}`,
  pages: 'Pages',
  copy: 'Copy',
  copied: 'Copied',
  optional: 'optional',
  save: 'Save',
  cancel: 'Cancel',
  delete: 'Delete',
  remove: 'Remove',
  edit: 'Edit',
  search: 'Search',
  menu: 'Menu',
  storedMeanwhile: 'Somebody else changed this meanwhile to:',
  emptiedMeanwhile: 'Somebody else emptied this meanwhile.',
  ticked: 'ticked',
  notTicked: 'not ticked',
  /** Units of durations, as in `1h 5m`. */
  units: { days: 'd', hours: 'h', minutes: 'm', seconds: 's' },
}
