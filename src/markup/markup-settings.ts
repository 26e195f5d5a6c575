/** What an instance may choose about rendering; every size is in bytes. */
export interface MarkupSettings {
  /** Whether a line end is shown as one: in comments, and in files and wiki pages. */
  readonly hardBreaks: { readonly comments: boolean; readonly documents: boolean }
  /** Whether `$…$` is a formula. */
  readonly math: boolean
  /** Schemes, beside http, https and mail, of bare addresses that become links. */
  readonly urlSchemes: readonly string[]
  /** Endings of files that are Markdown, with their dot. */
  readonly markdownEndings: readonly string[]
  /** Longer texts are shown as they are: rendering them would hold everybody up for seconds. */
  readonly maxBytes: number
  /** Tables beyond the size are shown as text, rows beyond the number are left out; 0 is no limit. */
  readonly table: { readonly maxBytes: number; readonly maxRows: number }
}

/** The family's defaults. */
export const defaultMarkupSettings: MarkupSettings = {
  hardBreaks: { comments: true, documents: false },
  math: true,
  urlSchemes: [],
  markdownEndings: ['.md', '.markdown', '.mdown', '.mkd', '.livemd'],
  maxBytes: 1024 * 1024,
  table: { maxBytes: 512 * 1024, maxRows: 2500 },
}
