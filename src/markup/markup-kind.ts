import { defaultMarkupSettings, type MarkupSettings } from './markup-settings.ts'

/** Kinds of files that are shown rendered. */
export type MarkupKind = 'markdown' | 'org' | 'csv' | 'tsv'

/** The kind of a file by the ending of its name, or undefined when files of that kind are not rendered. */
export function markupKind(filePath: string, settings: MarkupSettings = defaultMarkupSettings): MarkupKind | undefined {
  const ending = /\.[^./]{1,20}$/.exec(filePath)?.[0].toLowerCase()
  if (ending === undefined) return undefined
  if (settings.markdownEndings.some((each) => each.toLowerCase() === ending)) return 'markdown'
  return ending === '.org' ? 'org' : ending === '.csv' ? 'csv' : ending === '.tsv' ? 'tsv' : undefined
}
