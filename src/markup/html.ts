import { escapeMarks } from '../lib/escape-xml.ts'

/** Escapes a text for element content and for attribute values in double quotes. */
export const escapeHtml = (text: string): string => escapeMarks(text, '&#34;')
