import { escapeHtml } from './html.ts'

/** Returns the unrendered text, for a text that is too long or too complex. */
export const unrendered = (source: string): string => `<pre>${escapeHtml(source)}</pre>`
