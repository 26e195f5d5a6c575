import type { ComponentChildren } from 'preact'
import { counted } from '../amounts.ts'

/** Texts of the wiki. */
export const wikiTexts = {
  title: (page: string, repository: string) => `${page} · Wiki von ${repository}`,
  wiki: 'Wiki',
  new: 'Neue Seite',
  edit: 'Bearbeiten',
  history: 'Verlauf',
  pages: 'Seiten',
  empty: 'Dieses Wiki hat noch keine Seiten',
  emptyLead:
    'Ein Wiki sammelt Notizen und Anleitungen, die alle in einem Projekt lesen. Jede Seite ist eine Markdown-Datei in einem Git-Repository.',
  first: 'Erste Seite schreiben',
  missing: (title: string) => `Es gibt keine Seite „${title}“`,
  create: 'Diese Seite anlegen',
  changed: (person: ComponentChildren, moment: ComponentChildren) => (
    <>
      {person} änderte diese Seite {moment}
    </>
  ),
  revisions: (count: number) => counted(count, 'Fassung', 'Fassungen'),
  cloneAddress: 'Dieses Wiki klonen',
  more: 'Seitenleiste und Fußzeile: Seiten namens _Sidebar und _Footer erscheinen auf jeder Seite.',
  list: {
    title: 'Seiten des Wikis',
  },
  commitId: 'ID des Commits',
  revisionsOf: (title: string) => `Verlauf von ${title}`,
  back: 'Zurück zur Seite',
  form: {
    newTitle: 'Neue Seite',
    editTitle: (title: string) => `${title} bearbeiten`,
    title: 'Titel',
    content: 'Text',
    message: 'Änderung beschreiben',
    attachHint: 'Dateien einfügen, hierher ziehen oder auswählen. Sie werden sofort im Wiki gespeichert.',
    noFile: 'wählen Sie eine Datei',
    save: 'Seite speichern',
    created: 'Die Seite ist angelegt.',
    saved: 'Die Seite ist gespeichert.',
    current: 'Die Seite, wie sie jetzt ist',
    currentLead:
      'Jemand anderes hat die Seite geändert. Ihr Text steht unten; wenn Sie ihn noch einmal speichern, ersetzt er den anderen.',
    delete: 'Seite löschen',
    deleteConfirm: (title: string) => `Die Seite „${title}“ löschen?`,
    deleted: (title: string) => `Die Seite „${title}“ ist gelöscht.`,
    home: 'Start',
  },
}
