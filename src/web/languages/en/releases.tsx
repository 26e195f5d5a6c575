import type { ComponentChildren } from 'preact'
import type { NotesTexts } from '../../../releases/release-notes.service.ts'
import { counted } from '../amounts.ts'

const notes: NotesTexts = {
  pulls: 'Changes',
  commits: 'Commits',
  pull: ({ title, number, poster }) => `- ${title} (#${number}) by @${poster}`,
  commit: ({ subject, shortId }) => `- ${subject} (${shortId})`,
  all: (address, range) => `All changes: [${range}](${address})`,
}

/** Texts of the releases. */
export const releaseTexts = {
  title: (repository: string) => `Releases of ${repository}`,
  heading: 'Releases',
  tags: 'Tags',
  new: 'New release',
  search: 'Search releases',
  empty: 'No releases yet',
  emptyLead: 'A release names a version of the code by a tag and offers notes and files to download.',
  emptyCommands: 'git tag v1.0.0\ngit push origin v1.0.0',
  emptyCommandsLabel: 'Create a tag in a terminal',
  none: 'No release matches.',
  latest: 'Latest',
  draft: 'Draft',
  prerelease: 'Pre-release',
  published: (person: ComponentChildren, moment: ComponentChildren) => (
    <>
      {person} released this {moment}
    </>
  ),
  drafted: (person: ComponentChildren, moment: ComponentChildren) => (
    <>
      {person} drafted this {moment}
    </>
  ),
  assets: (count: number) => counted(count, 'file'),
  downloads: (count: number) => counted(count, 'download'),
  external: 'Stored elsewhere',
  sourceZip: 'Source code (zip)',
  sourceTar: 'Source code (tar.gz)',
  compare: 'Compare',
  notes,
  form: {
    newTitle: 'New release',
    editTitle: (tag: string) => `Edit release ${tag}`,
    tag: 'Tag',
    tagHint: 'An existing tag, or the name of a new one, such as v1.2.0.',
    target: 'Target of a new tag',
    targetHint: 'A branch or a commit. An existing tag stays where it is.',
    name: 'Title',
    body: 'Notes',
    attachHint: 'Paste, drop or choose files. They become files of the release.',
    prerelease: 'Pre-release',
    prereleaseHint: 'It is not ready for production, and never the latest release.',
    hideArchives: 'Hide the source code archives',
    publish: 'Publish release',
    saveDraft: 'Save as draft',
    save: 'Save changes',
    unpublish: 'Turn into a draft',
    generate: 'Generate notes',
    generateLead: 'From the pull requests merged since the newest release. They are added to the notes.',
    published: 'The release is published.',
    drafted: 'The draft is saved. Only people who may write releases see it.',
    saved: 'The release is saved.',
    emptyRepository: 'The repository is empty. Push a commit first.',
  },
  edit: 'Edit',
  delete: 'Delete release',
  deleteConfirm: (tag: string) => `Delete the release ${tag}? Its tag stays.`,
  deleted: 'The release is deleted. Its tag stays.',
  files: {
    heading: 'Files',
    upload: 'Attach a file',
    file: 'File',
    link: 'Address of a file elsewhere',
    linkHint: 'Instead of a file.',
    name: 'Name',
    nameHint: 'Empty: the name of the file.',
    submit: 'Attach',
    attached: (name: string) => `${name} is attached.`,
    delete: (name: string) => `Delete ${name}`,
    deleteConfirm: (name: string) => `Delete the file ${name}?`,
    deleted: (name: string) => `${name} is deleted.`,
    several: 'Several are possible.',
    chooseAgain: 'Browsers forget chosen files; choose them again.',
    tooLarge: (size: string) => `a file may have at most ${size}`,
    off: 'Attachments are switched off on this site.',
  },
}
