import type { ComponentChildren } from 'preact'
import { counted } from '../amounts.ts'

/** Texts of the searches in code. */
export const codeSearchTexts = {
  title: 'Search code',
  label: 'Text in files',
  search: 'Search',
  hint: (branch: string) => `Finds lines of text files on ${branch}. Letter case does not matter.`,
  hintEverywhere:
    'Finds lines of text files on the default branches of the repositories that you can read. Letter case does not matter.',
  none: (text: string) => `No line has “${text}”`,
  found: (files: number) => `${counted(files, 'file')}.`,
  foundEverywhere: (repositories: number, searched: number) =>
    `${counted(repositories, 'repository', 'repositories')} of ${searched}.`,
  bounded: 'The search stopped early: not everything was looked at or is shown.',
  boundedEverywhere: (searched: number) =>
    `The search is limited: it looked at ${counted(searched, 'repository', 'repositories')}, the latest updated ones, and shows the first lines of each.`,
  qualifiers: (path: ComponentChildren, language: ComponentChildren, letterCase: ComponentChildren) => (
    <>
      {path}, {language} and {letterCase} narrow the search to parts of paths, languages and exact letters.
    </>
  ),
  expressions: (expression: ComponentChildren) => (
    <>Between slashes, such as {expression}, stands a regular expression.</>
  ),
  unsearched: 'Nothing was searched',
  unspecific: 'The expression is too general: each match must contain three plain characters in a row.',
  fault: (reason: string) => `The expression cannot be read: ${reason}.`,
}
