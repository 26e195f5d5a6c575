import { counted } from '../amounts.ts'

/** Texts of the pages of labels. */
export const labelTexts = {
  title: 'Labels',
  lead: 'Labels ordnen Issues und Pull-Requests.',
  organizationLead: 'Alle Repositorys der Organisation bieten diese Labels neben ihren eigenen an.',
  create: 'Neues Label',
  find: 'Label finden',
  name: 'Name',
  description: 'Beschreibung',
  color: 'Farbe',
  exclusive: 'Ausschließlich',
  exclusiveHint:
    'Ein Schrägstrich im Namen bildet einen Bereich, etwa priority/high. Ein Issue hat ein Label eines Bereichs.',
  archived: 'Archiviert',
  save: 'Label speichern',
  add: 'Label anlegen',
  issues: (count: number) => counted(count, 'offenes Issue', 'offene Issues'),
  empty: 'Noch keine Labels',
  emptyLead: 'Legen Sie ein Label an, etwa Fehler oder Frage, um zu ordnen, was geschrieben wird.',
  emptyName: 'Schreiben Sie einen Namen.',
  created: (name: string) => `Das Label ${name} ist angelegt.`,
  saved: (name: string) => `Das Label ${name} ist gespeichert.`,
  deleted: 'Das Label ist gelöscht.',
  deleteQuestion: (name: string) => `Das Label ${name} löschen? Alle Issues verlieren es.`,
  ofOrganization: (name: string) => `Labels von ${name}`,
  edit: (name: string) => `${name} bearbeiten`,
  delete: (name: string) => `${name} löschen`,
}
