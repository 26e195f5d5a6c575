import type { ComponentChildren } from 'preact'
import type { NotesTexts } from '../../../releases/release-notes.service.ts'
import { counted } from '../amounts.ts'

const notes: NotesTexts = {
  pulls: 'Änderungen',
  commits: 'Commits',
  pull: ({ title, number, poster }) => `- ${title} (#${number}) von @${poster}`,
  commit: ({ subject, shortId }) => `- ${subject} (${shortId})`,
  all: (address, range) => `Alle Änderungen: [${range}](${address})`,
}

/** Texts of the releases. */
export const releaseTexts = {
  title: (repository: string) => `Releases von ${repository}`,
  heading: 'Releases',
  tags: 'Tags',
  new: 'Neues Release',
  search: 'Releases suchen',
  empty: 'Noch keine Releases',
  emptyLead:
    'Ein Release benennt eine Version des Codes durch ein Tag und bietet Hinweise und Dateien zum Herunterladen.',
  emptyCommands: 'git tag v1.0.0\ngit push origin v1.0.0',
  emptyCommandsLabel: 'Ein Tag im Terminal anlegen',
  none: 'Kein Release passt.',
  latest: 'Neuestes',
  draft: 'Entwurf',
  prerelease: 'Vorabversion',
  published: (person: ComponentChildren, moment: ComponentChildren) => (
    <>
      {person} veröffentlichte dies {moment}
    </>
  ),
  drafted: (person: ComponentChildren, moment: ComponentChildren) => (
    <>
      {person} entwarf dies {moment}
    </>
  ),
  assets: (count: number) => counted(count, 'Datei', 'Dateien'),
  downloads: (count: number) => counted(count, 'Download', 'Downloads'),
  external: 'Anderswo gespeichert',
  sourceZip: 'Quelltext (zip)',
  sourceTar: 'Quelltext (tar.gz)',
  compare: 'Vergleichen',
  notes,
  form: {
    newTitle: 'Neues Release',
    editTitle: (tag: string) => `Release ${tag} bearbeiten`,
    tag: 'Tag',
    tagHint: 'Ein vorhandenes Tag oder der Name eines neuen, etwa v1.2.0.',
    target: 'Ziel eines neuen Tags',
    targetHint: 'Ein Branch oder ein Commit. Ein vorhandenes Tag bleibt, wo es ist.',
    name: 'Titel',
    body: 'Hinweise',
    attachHint: 'Dateien einfügen, hierher ziehen oder auswählen. Sie werden Dateien des Releases.',
    prerelease: 'Vorabversion',
    prereleaseHint: 'Sie ist noch nicht für den Betrieb gedacht und nie das neueste Release.',
    hideArchives: 'Archive des Quelltextes verbergen',
    publish: 'Release veröffentlichen',
    saveDraft: 'Als Entwurf speichern',
    save: 'Änderungen speichern',
    unpublish: 'In einen Entwurf umwandeln',
    generate: 'Hinweise erzeugen',
    generateLead:
      'Aus den Pull-Requests, die seit dem neuesten Release zusammengeführt wurden. Sie werden an die Hinweise angefügt.',
    published: 'Das Release ist veröffentlicht.',
    drafted: 'Der Entwurf ist gespeichert. Nur wer Releases schreiben darf, sieht ihn.',
    saved: 'Das Release ist gespeichert.',
    emptyRepository: 'Das Repository ist leer. Pushen Sie zuerst einen Commit.',
  },
  edit: 'Bearbeiten',
  delete: 'Release löschen',
  deleteConfirm: (tag: string) => `Das Release ${tag} löschen? Sein Tag bleibt.`,
  deleted: 'Das Release ist gelöscht. Sein Tag bleibt.',
  files: {
    heading: 'Dateien',
    upload: 'Datei anhängen',
    file: 'Datei',
    link: 'Adresse einer Datei anderswo',
    linkHint: 'Statt einer Datei.',
    name: 'Name',
    nameHint: 'Leer: der Name der Datei.',
    submit: 'Anhängen',
    attached: (name: string) => `${name} ist angehängt.`,
    delete: (name: string) => `${name} löschen`,
    deleteConfirm: (name: string) => `Die Datei ${name} löschen?`,
    deleted: (name: string) => `${name} ist gelöscht.`,
    several: 'Mehrere sind möglich.',
    chooseAgain: 'Browser vergessen ausgewählte Dateien; wählen Sie sie noch einmal aus.',
    tooLarge: (size: string) => `eine Datei darf höchstens ${size} haben`,
    off: 'Anhänge sind auf dieser Site ausgeschaltet.',
  },
}
