import { wordTable } from '../../../lib/word-table.ts'

/** Labels of what is stored, by the subject of a quota. */
const kinds = wordTable<string>({
  'size:all': 'Alles',
  'size:repos:all': 'Alle Repositorys',
  'size:repos:public': 'Öffentliche Repositorys',
  'size:repos:private': 'Private Repositorys',
  'size:git:all': 'Git-Daten mit LFS',
  'size:git:lfs': 'Git LFS',
  'size:assets:all': 'Alle Dateien und Pakete',
  'size:assets:attachments:all': 'Alle angehängten Dateien',
  'size:assets:attachments:issues': 'Dateien von Issues',
  'size:assets:attachments:releases': 'Dateien von Releases',
  'size:assets:artifacts': 'Artefakte von Workflows',
  'size:assets:packages:all': 'Pakete',
  'size:wiki': 'Wikis',
  'size:assets:wiki': 'Wikis, unter anderem Namen',
})

/** Texts of the pages of storage. */
export const storageTexts = {
  kinds,
  title: 'Speicher',
  total: (size: string) => `Ihr Konto belegt ${size}.`,
  totalOf: (org: string, size: string) => `${org} belegt ${size}.`,
  limits: 'Grenzen',
  noLimits: 'Hier sind keine Grenzen gesetzt. Die der Site können trotzdem gelten.',
  unlimited: 'keine Grenze',
  ofLimit: (used: string, limit: string) => `${used} von ${limit}`,
}
