import { wordTable } from '../../../lib/word-table.ts'

/** Labels of what is stored, by the subject of a quota. */
const kinds = wordTable<string>({
  'size:all': 'Everything',
  'size:repos:all': 'All repositories',
  'size:repos:public': 'Public repositories',
  'size:repos:private': 'Private repositories',
  'size:git:all': 'Git data with LFS',
  'size:git:lfs': 'Git LFS',
  'size:assets:all': 'All files and packages',
  'size:assets:attachments:all': 'All attached files',
  'size:assets:attachments:issues': 'Files of issues',
  'size:assets:attachments:releases': 'Files of releases',
  'size:assets:artifacts': 'Artifacts of workflows',
  'size:assets:packages:all': 'Packages',
  'size:wiki': 'Wikis',
  'size:assets:wiki': 'Wikis, by another name',
})

/** Texts of the pages of storage. */
export const storageTexts = {
  kinds,
  title: 'Storage',
  total: (size: string) => `Your account stores ${size}.`,
  totalOf: (org: string, size: string) => `${org} stores ${size}.`,
  limits: 'Limits',
  noLimits: 'No limits are set here. Those of the site may still count.',
  unlimited: 'no limit',
  ofLimit: (used: string, limit: string) => `${used} of ${limit}`,
}
