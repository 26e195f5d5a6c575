import type { HLJSApi } from 'highlight.js'
import { escapeHtml } from './html.ts'

/** Code longer than this (in UTF-16 units) is shown without colours: colouring takes about 250 ms of CPU per MB. */
export const maxHighlightLength = 128 * 1024

let common: Promise<HLJSApi> | undefined
let all: Promise<HLJSApi> | undefined

const plainNames = new Set(['', 'text', 'txt', 'plain', 'plaintext', 'nohighlight', 'mermaid', 'math'])

/** Highlighters by language name, ready to be used synchronously. */
export interface Highlighters {
  /** Coloured HTML of the code, or undefined when the language is unknown or the code too long. */
  highlight(code: string, language: string, maxLength?: number): string | undefined
}

/**
 * Loads what is needed to colour the given languages. The grammars of the 36 usual languages take 8 MB, all 193 take
 * 23 MB, so the rest is loaded only when a text asks for one of them.
 */
export async function loadHighlighters(languages: Iterable<string>): Promise<Highlighters> {
  const wanted = [...languages].map((name) => name.toLowerCase()).filter((name) => !plainNames.has(name))
  if (wanted.length === 0) return { highlight: () => undefined }
  common ??= import('highlight.js/lib/common').then((module) => module.default)
  let engine = await common
  if (wanted.some((name) => engine.getLanguage(name) === undefined)) {
    all ??= import('highlight.js').then((module) => module.default)
    engine = await all
  }
  return {
    highlight(code, language, maxLength = maxHighlightLength) {
      if (code.length > maxLength || plainNames.has(language.toLowerCase())) return undefined
      if (engine.getLanguage(language) === undefined) return undefined
      return engine.highlight(code, { language, ignoreIllegals: true }).value
    },
  }
}

/**
 * Code as HTML with colouring spans (`hljs-…`), or just escaped when the language is unknown or the code too long.
 * @param language name or alias as in the info string of a fence; endings of file names are aliases mostly
 * @param maxLength in UTF-16 units
 */
export async function highlightCode(code: string, language: string, maxLength = maxHighlightLength): Promise<string> {
  return (await loadHighlighters([language])).highlight(code, language, maxLength) ?? escapeHtml(code)
}
