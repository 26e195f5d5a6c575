import { defaultMarkupSettings, type MarkupSettings } from './markup-settings.ts'

/** Kinds of files that are rendered. */
export type FileKind = 'markdown' | 'org' | 'csv' | 'tsv'

/** Kinds of texts that are rendered: files, and titles and bodies of messages of commits. */
export type MarkupKind = FileKind | 'title' | 'message'

/** Returns the kind of a file by its extension; undefined when it is not rendered. */
export function markupKind(filePath: string, settings: MarkupSettings = defaultMarkupSettings): FileKind | undefined {
  const extension = /\.[^./]{1,20}$/.exec(filePath)?.[0].toLowerCase()
  if (extension === undefined) return undefined
  if (settings.markdownExtensions.some((each) => each.toLowerCase() === extension)) return 'markdown'
  return extension === '.org' ? 'org' : extension === '.csv' ? 'csv' : extension === '.tsv' ? 'tsv' : undefined
}
