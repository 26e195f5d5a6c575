/** Settings of rendering; sizes are in bytes. */
export interface MarkupSettings {
  /** Whether a line end is a line break, in comments and in documents (files and wiki pages). */
  readonly hardBreaks: { readonly comments: boolean; readonly documents: boolean }
  /** Whether `$…$` is a formula. */
  readonly math: boolean
  /** Longest diagram that pages draw, in UTF-16 units; a longer one stays source. */
  readonly maxDiagramLength: number
  /** Schemes of bare addresses that become links, besides http, https and mailto. */
  readonly urlSchemes: readonly string[]
  /** Extensions of Markdown files, with their dot. */
  readonly markdownExtensions: readonly string[]
  /** Longest rendered text. */
  readonly maxBytes: number
  /** A larger table is shown as text, further rows are left out; 0: no limit. */
  readonly table: { readonly maxBytes: number; readonly maxRows: number }
}

/** The defaults of the family. */
export const defaultMarkupSettings: MarkupSettings = {
  hardBreaks: { comments: true, documents: false },
  math: true,
  maxDiagramLength: 50_000,
  urlSchemes: [],
  markdownExtensions: ['.md', '.markdown', '.mdown', '.mkd', '.livemd'],
  maxBytes: 1024 * 1024,
  table: { maxBytes: 512 * 1024, maxRows: 2500 },
}
