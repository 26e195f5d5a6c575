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
  /** Units of durations, as in `1h 5m`. */
  units: { days: 'd', hours: 'h', minutes: 'm', seconds: 's' },
}
