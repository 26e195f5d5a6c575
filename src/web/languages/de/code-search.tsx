import type { ComponentChildren } from 'preact'
import { counted, numberText } from '../amounts.ts'

/** Texts of the searches in code. */
export const codeSearchTexts = {
  title: 'Code durchsuchen',
  label: 'Text in Dateien',
  search: 'Suchen',
  hint: (branch: string) => `Findet Zeilen von Textdateien in ${branch}. Groß- und Kleinschreibung spielt keine Rolle.`,
  hintEverywhere:
    'Findet Zeilen von Textdateien in den Standard-Branches der Repositorys, die Sie lesen dürfen. Groß- und Kleinschreibung spielt keine Rolle.',
  none: (text: string) => `Keine Zeile enthält „${text}“`,
  found: (files: number) => `${counted(files, 'Datei', 'Dateien')}.`,
  foundEverywhere: (repositories: number, searched: number) =>
    `${numberText(repositories)} von ${counted(searched, 'Repository', 'Repositorys')}.`,
  bounded: 'Die Suche endete vorzeitig: Nicht alles wurde durchsucht oder wird gezeigt.',
  boundedEverywhere: (searched: number) =>
    `Die Suche ist begrenzt: Sie hat ${counted(searched, 'Repository', 'Repositorys')} durchsucht, die zuletzt geänderten, und zeigt von jedem die ersten Zeilen.`,
  qualifiers: (path: ComponentChildren, language: ComponentChildren, letterCase: ComponentChildren) => (
    <>
      {path}, {language} und {letterCase} beschränken die Suche auf Teile von Pfaden, Sprachen und genaue Schreibung.
    </>
  ),
  expressions: (expression: ComponentChildren) => (
    <>Zwischen Schrägstrichen, etwa {expression}, steht ein regulärer Ausdruck.</>
  ),
  unsearched: 'Es wurde nichts durchsucht',
  unspecific: 'Der Ausdruck ist zu allgemein: Jeder Treffer muss drei bestimmte Zeichen hintereinander enthalten.',
  fault: (reason: string) => `Der Ausdruck ist nicht lesbar: ${reason}.`,
}
