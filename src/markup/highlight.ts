import type { HLJSApi } from 'highlight.js'
import { escapeHtml } from './html.ts'

/** Longest highlighted code in UTF-16 units: highlighting takes about 250 ms of CPU per MB. */
export const maxHighlightLength = 128 * 1024

let common: Promise<HLJSApi> | undefined
let all: Promise<HLJSApi> | undefined

const plainNames = new Set(['', 'text', 'txt', 'plain', 'plaintext', 'nohighlight', 'mermaid', 'math'])

/** Loaded highlighters, for synchronous use. */
export interface Highlighters {
  /** Returns highlighted HTML; undefined when the language is unknown or the code is too long. */
  highlight(code: string, language: string, maxLength?: number): string | undefined
}

/**
 * Loads the grammars of languages. The 36 common ones take 8 MB and all 193 take 23 MB, so the others are loaded only when a
 * text names one of them.
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
 * Returns code as HTML with highlighting spans (`hljs-…`), or only escaped when the language is unknown or the code is too long.
 * @param language a name or alias as in the info string of a fence; most file extensions are aliases
 * @param maxLength in UTF-16 units
 */
export async function highlightCode(code: string, language: string, maxLength = maxHighlightLength): Promise<string> {
  return (await loadHighlighters([language])).highlight(code, language, maxLength) ?? escapeHtml(code)
}
