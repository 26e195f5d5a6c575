import type { HLJSApi } from 'highlight.js'
import { escapeHtml } from './html.ts'
import { wordTable } from '../lib/word-table.ts'

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

/** Longest source that `highlightedLines` highlights, in UTF-16 units. */
export const maxLinesLength = 256 * 1024

/** Languages of file names without an extension, or whose extension is no alias of the language. */
const namedFiles = wordTable<string>({
  dockerfile: 'dockerfile',
  containerfile: 'dockerfile',
  makefile: 'makefile',
  gnumakefile: 'makefile',
  'cmakelists.txt': 'cmake',
  gemfile: 'ruby',
  rakefile: 'ruby',
  vagrantfile: 'ruby',
  jenkinsfile: 'groovy',
  '.bashrc': 'bash',
  '.profile': 'bash',
  '.gitconfig': 'ini',
  '.gitmodules': 'ini',
  '.editorconfig': 'ini',
  'go.mod': 'go',
})

const namedExtensions = wordTable<string>({
  vue: 'xml',
  svelte: 'xml',
  astro: 'xml',
  jsonc: 'json',
  webmanifest: 'json',
  conf: 'ini',
  cfg: 'ini',
  patch: 'diff',
  lock: '',
  log: '',
})

/** Returns the name under which the language of a file is highlighted; empty for plain text. */
export function languageOfFile(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const extension = /\.([a-z0-9+_-]{1,20})$/.exec(name)?.[1] ?? ''
  return namedFiles[name] ?? namedExtensions[extension] ?? extension
}

/** Whether `Texts.lines` highlights a source. */
export const isHighlightable = (source: string, language: string): boolean =>
  language !== '' && source.length <= maxLinesLength

/** Splits HTML of text and `span` elements into lines; an element that spans lines is repeated on each. */
export function splitLines(html: string): string[] {
  const open: string[] = []
  const lines = html.split('\n').map((line) => {
    const before = open.join('')
    for (const [tag] of line.matchAll(/<\/?span[^>]*>/g)) {
      if (tag[1] === '/') open.pop()
      else open.push(tag)
    }
    return before + line + '</span>'.repeat(open.length)
  })
  if (lines.at(-1)?.replace(/<\/?span[^>]*>/g, '') === '') lines.pop()
  return lines
}

/** Returns the lines of a source as HTML without line ends, highlighted unless the language is unknown or the source is long. */
export const highlightedLines = async (source: string, language: string): Promise<string[]> =>
  splitLines(await highlightCode(source.replaceAll('\r\n', '\n'), language, maxLinesLength))

/** Returns the lines of a source as HTML without highlighting. */
export const plainLines = (source: string): string[] => splitLines(escapeHtml(source.replaceAll('\r\n', '\n')))
