import type { ComponentChildren } from 'preact'
import { counted } from '../amounts.ts'

/** Texts of the wiki. */
export const wikiTexts = {
  title: (page: string, repository: string) => `${page} · Wiki of ${repository}`,
  wiki: 'Wiki',
  new: 'New page',
  edit: 'Edit',
  history: 'History',
  pages: 'Pages',
  empty: 'This wiki has no pages yet',
  emptyLead:
    'A wiki holds notes and guides that everybody on a project reads. Each page is a Markdown file in a git repository.',
  first: 'Write the first page',
  missing: (title: string) => `There is no page "${title}"`,
  create: 'Create this page',
  changed: (person: ComponentChildren, moment: ComponentChildren) => (
    <>
      {person} changed this page {moment}
    </>
  ),
  revisions: (count: number) => counted(count, 'revision'),
  cloneAddress: 'Clone this wiki',
  more: 'Sidebar and footer: pages named _Sidebar and _Footer appear on each page.',
  list: {
    title: 'Pages of the wiki',
  },
  commitId: 'commit id',
  revisionsOf: (title: string) => `History of ${title}`,
  back: 'Back to the page',
  form: {
    newTitle: 'New page',
    editTitle: (title: string) => `Edit ${title}`,
    title: 'Title',
    content: 'Text',
    message: 'Describe the change',
    attachHint: 'Paste, drop or choose files. They are stored in the wiki at once.',
    noFile: 'choose a file',
    save: 'Save page',
    created: 'The page is created.',
    saved: 'The page is saved.',
    current: 'The page as it is now',
    currentLead: 'Somebody else changed the page. Your text is below; saving it again replaces theirs.',
    delete: 'Delete page',
    deleteConfirm: (title: string) => `Delete the page "${title}"?`,
    deleted: (title: string) => `The page "${title}" is deleted.`,
    home: 'Home',
  },
}
