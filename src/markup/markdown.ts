import MarkdownIt from 'markdown-it'
import type { MarkdownIt as Parser, Token } from 'markdown-it'
import definitionLists from 'markdown-it-deflist'
import footnotes from 'markdown-it-footnote'
import { moveFootnotes } from './footnote-tail.ts'
import { findFrontMatter, renderFrontMatter } from './front-matter.ts'
import { loadFormulas } from './formula.ts'
import { putFormulas } from './formula-place.ts'
import { loadHighlighters, type Highlighters } from './highlight.ts'
import { isTooLong, sanitiseBounded } from './limited.ts'
import type { SanitizeOptions } from './sanitize.ts'
import { unrendered } from './unrendered.ts'
import type { MarkdownMode } from './links.ts'
import { blockRules, fenceLanguage } from './markdown-block.ts'
import { withState, type RenderState, type Suggestion } from './markdown-env.ts'
import { inlineRules } from './markdown-inline.ts'
import { defaultMarkupSettings, type MarkupSettings } from './markup-settings.ts'
import {
  candidatesOf,
  defaultKeywords,
  type ReferenceKeywords,
  type ReferenceRules,
  type ReferenceCandidates,
  type ResolvedReferences,
} from './references.ts'
import { trimTrailing } from '../lib/trim-ends.ts'

export interface MarkdownOptions extends SanitizeOptions {
  /** `markdown` has no references; `gfm` keeps line ends; `comment` breaks at them and links `#1` too. */
  readonly mode: MarkdownMode
  /** Address of the instance, with or without a trailing slash. */
  readonly rootUrl: string
  /** Repository of the text, `owner/name`; without it `#1` links to the root and commits stay text. */
  readonly repository?: string
  /** Whether the text is a wiki page, where `[[Page]]` links to a page of `bases.links`. */
  readonly wiki?: boolean
  readonly keywords?: ReferenceKeywords
  /** The block of the text that suggests these lines is shown as a difference. */
  readonly suggestion?: Suggestion
  readonly settings?: MarkupSettings
  /** Mentions and commits that exist; all others stay text. */
  readonly resolved?: ResolvedReferences
}

/** A rendered text with the candidates of its references. */
export interface Rendered {
  /** Ends with a line break; empty for a blank text. */
  readonly html: string
  /** Whether it is the unrendered text, because the text is too long or too deep. */
  readonly isPlain?: boolean
  readonly candidates: ReferenceCandidates
}

const nothingResolved: ResolvedReferences = { mentions: new Set(), commits: new Set() }
const noHighlighters: Highlighters = { highlight: () => undefined }
const noCandidates: ReferenceCandidates = { mentions: [], commits: [] }

/** Returns rendered HTML without candidates. */
export const withoutCandidates = (html: string): Rendered => ({ html, candidates: noCandidates })

/** Returns the length of an address after the colon of a configured scheme, without trailing punctuation. */
const addressLength = (text: string, at: number): number =>
  /^\/\/[^\s<>"]{0,2000}[^\s<>".,;:!?)'\]]/.exec(text.slice(at, at + 2010))?.[0].length ?? 0

type LinkMatch = NonNullable<ReturnType<Parser['linkify']['matchAtStart']>>

/** Ends bare addresses before trailing punctuation and marks of Markdown, as GitHub Flavored Markdown does. */
function endBeforePunctuation(linkify: Parser['linkify']): void {
  const shorten = (found: LinkMatch, length = trailingPunctuation.exec(found.raw)?.[0].length ?? 0): LinkMatch => {
    if (length === 0) return found
    const shorter = (text: string): string => text.slice(0, text.length - length)
    return Object.assign(found, {
      lastIndex: found.lastIndex - length,
      raw: shorter(found.raw),
      text: shorter(found.text),
      url: shorter(found.url),
    })
  }
  const match = linkify.match.bind(linkify)
  const matchAtStart = linkify.matchAtStart.bind(linkify)
  linkify.match = (text) => match(text)?.map((found) => shorten(found)) ?? null
  linkify.matchAtStart = (text) => {
    let found = matchAtStart(text)
    if (found === null) return null
    found = shorten(found)
    // The source of Markdown may have character references here: one at the end is a character after the address.
    while (text[found.lastIndex] === ';') {
      const length = trailingEntity.exec(found.raw.slice(-longestEntity))?.[0].length
      if (length === undefined) break
      found = shorten(shorten(found, length))
    }
    return found
  }
}

/** A character reference without its semicolon, and its greatest length. */
const trailingEntity = /&(?:[a-z][a-z0-9]{1,30}|#\d{1,7}|#x[0-9a-f]{1,6})$/i
const longestEntity = 32

const trailingPunctuation = /(?<![:;.,!?*_~|`'"])[:;.,!?*_~|`'"]+$/

const parsers = new WeakMap<MarkupSettings, Map<MarkdownMode, Parser>>()

/** Returns the parser of a mode; parsers hold only rules. */
function parserFor(mode: MarkdownMode, settings: MarkupSettings): Parser {
  const made = parsers.get(settings) ?? new Map<MarkdownMode, Parser>()
  parsers.set(settings, made)
  const parser = made.get(mode) ?? createParser(mode, settings)
  made.set(mode, parser)
  return parser
}

/** Mode `markdown` always keeps line ends (observed); the others follow the settings. */
function keepsLineEnds(mode: MarkdownMode, { hardBreaks }: MarkupSettings): boolean {
  if (mode === 'markdown') return true
  return mode === 'gfm' ? hardBreaks.documents : hardBreaks.comments
}

function createParser(mode: MarkdownMode, settings: MarkupSettings): Parser {
  const parser = new MarkdownIt({ html: true, breaks: keepsLineEnds(mode, settings), linkify: mode !== 'markdown' })
  // The sanitiser checks addresses, of Markdown and HTML alike.
  parser.validateLink = () => true
  parser.normalizeLink = (address) => parser.utils.lib.mdurl.encode(address)
  parser.normalizeLinkText = (text) => text
  parser.linkify.set({ fuzzyLink: false, fuzzyIP: false, fuzzyEmail: true })
  parser.linkify.add('ftp:', null)
  parser.linkify.add('//', null)
  endBeforePunctuation(parser.linkify)
  for (const scheme of settings.urlSchemes) parser.linkify.add(`${scheme.toLowerCase()}:`, { validate: addressLength })
  parser.use(footnotes).use(definitionLists)
  parser.core.ruler.at('footnote_tail', moveFootnotes)
  blockRules(parser)
  inlineRules(parser)
  if (!settings.math) parser.disable(['math', 'math_block'])
  return parser
}

let commentParser: Parser | undefined

/** Returns the tokens of a comment before references, emoji and escaped characters become part of its text. */
export function parseComment(markdown: string): readonly Token[] {
  commentParser ??= createParser('comment', defaultMarkupSettings).disable(['references', 'text_join'])
  return commentParser.parse(
    markdown,
    withState({
      bases: { root: '', links: '', media: '' },
      lineOffsets: [],
      lines: [],
      found: [],
      resolved: nothingResolved,
      highlighters: noHighlighters,
      maxDiagramLength: 0,
      rendered: [],
    }),
  )
}

/** Returns the bare addresses of a plain text, in order. */
export const findAddresses = (text: string, settings = defaultMarkupSettings): readonly LinkMatch[] =>
  parserFor('comment', settings).linkify.match(text) ?? []

/** Returns the byte offsets of the lines of a text. */
function offsetsOf(source: string): number[] {
  const offsets = [0]
  let offset = 0
  for (const line of source.match(/[^\r\n]*(?:\r\n|\r|\n|$)/g) ?? []) {
    offset += Buffer.byteLength(line)
    offsets.push(offset)
  }
  return offsets
}

/** Returns the rules of the references in a text. */
export const referenceRules = (options: MarkdownOptions): ReferenceRules => ({
  rootUrl: trimTrailing(options.rootUrl, '/'),
  ...(options.repository === undefined ? {} : { repository: options.repository }),
  numbers: options.mode === 'comment',
  keywords: options.keywords ?? defaultKeywords,
})

const languagesOf = (tokens: readonly Token[]): string[] =>
  tokens.filter((token) => token.type === 'fence').map(fenceLanguage)

const hasFormula = (token: Token): boolean =>
  token.type === 'math_block' ||
  (token.type === 'fence' && fenceLanguage(token).toLowerCase() === 'math') ||
  (token.children ?? []).some(({ type }) => type === 'math_inline')

/**
 * Renders Markdown to sanitised HTML (contract: the page about Markdown and its exchanges). A text that is too long or too complex
 * stays unrendered. The time depends on the text, so callers go through `texts.ts`.
 */
export async function renderMarkdown(source: string, options: MarkdownOptions): Promise<Rendered> {
  const settings = options.settings ?? defaultMarkupSettings
  if (source.trim() === '') return withoutCandidates('')
  if (isTooLong(source, settings.maxBytes)) return { ...withoutCandidates(unrendered(source)), isPlain: true }
  const front = findFrontMatter(source)
  const offsets = offsetsOf(source).slice(front?.lineCount ?? 0)
  const body =
    front === undefined
      ? source
      : Buffer.from(source)
          .subarray(offsets[0] ?? 0)
          .toString()
  const state: RenderState = {
    bases: options.bases,
    ...(options.mode === 'markdown' ? {} : { references: referenceRules(options) }),
    ...(options.wiki === true ? { wiki: options.bases.links } : {}),
    lineOffsets: offsets,
    lines: body.split(/\r\n|\r|\n/),
    found: [],
    resolved: options.resolved ?? nothingResolved,
    highlighters: noHighlighters,
    maxDiagramLength: settings.maxDiagramLength,
    ...(options.suggestion === undefined ? {} : { suggestion: options.suggestion }),
    rendered: [],
  }
  const parser = parserFor(options.mode, settings)
  const env = withState(state)
  const tokens = parser.parse(body, env)
  state.highlighters = await loadHighlighters(languagesOf(tokens))
  if (options.isForPage === true && settings.math && tokens.some(hasFormula)) state.formulas = await loadFormulas()
  const html = parser.renderer.render(tokens, parser.options, env)
  const whole = (front === undefined ? '' : renderFrontMatter(front.values)) + html
  const clean = sanitiseBounded(whole, source, options)
  return { ...clean, html: putFormulas(clean.html, state.rendered), candidates: candidatesOf(state.found) }
}
