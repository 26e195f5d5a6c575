import MarkdownIt from 'markdown-it'
import type { MarkdownIt as Parser, Token } from 'markdown-it'
import definitionLists from 'markdown-it-deflist'
import footnotes from 'markdown-it-footnote'
import { findFrontMatter, renderFrontMatter } from './front-matter.ts'
import { loadHighlighters } from './highlight.ts'
import { asItIs, cleaned } from './limited.ts'
import type { LinkBases, MarkdownMode } from './links.ts'
import { blockRules, fenceLanguage } from './markdown-block.ts'
import { withState, type RenderState } from './markdown-env.ts'
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

export interface MarkdownOptions {
  /** `markdown` knows no references; `gfm` keeps line ends; `comment` breaks at them and links `#1` too. */
  readonly mode: MarkdownMode
  /** What relative addresses are joined to; see `linkBases`. */
  readonly bases: LinkBases
  /** Address of the instance, with or without a slash at the end. */
  readonly rootUrl: string
  /** The repository the text belongs to, `owner/name`; without it `#1` leads to the root and commits stay text. */
  readonly repository?: string
  /** The text is a wiki page: `[[Page]]` leads to a page of `bases.links`. */
  readonly wiki?: boolean
  readonly keywords?: ReferenceKeywords
  readonly settings?: MarkupSettings
  /** Mentions and commits that were looked up and found; all others stay text. */
  readonly resolved?: ResolvedReferences
}

/** A rendered text, and what might be looked up for it. */
export interface Rendered {
  /** Ends with a line break; empty for a text of blanks. */
  readonly html: string
  readonly candidates: ReferenceCandidates
}

const nothingResolved: ResolvedReferences = { mentions: new Set(), commits: new Set() }
const noCandidates: ReferenceCandidates = { mentions: [], commits: [] }

/** Something rendered that refers to nothing. */
export const plainly = (html: string): Rendered => ({ html, candidates: noCandidates })

/** What follows the colon of an address of a scheme that is not known, without the punctuation of its sentence. */
const restOfAddress = (text: string, at: number): number =>
  /^\/\/[^\s<>"]{0,2000}[^\s<>".,;:!?)'\]]/.exec(text.slice(at, at + 2010))?.[0].length ?? 0

const parsers = new WeakMap<MarkupSettings, Map<MarkdownMode, Parser>>()

/** One parser for each mode, made on first use: parsers hold rules only, nothing of a text. */
function parserFor(mode: MarkdownMode, settings: MarkupSettings): Parser {
  const made = parsers.get(settings) ?? new Map<MarkdownMode, Parser>()
  parsers.set(settings, made)
  const parser = made.get(mode) ?? createParser(mode, settings)
  made.set(mode, parser)
  return parser
}

/** Plain mode always keeps line ends (observed); for the others they are a setting. */
function keepsLineEnds(mode: MarkdownMode, { hardBreaks }: MarkupSettings): boolean {
  if (mode === 'markdown') return true
  return mode === 'gfm' ? hardBreaks.documents : hardBreaks.comments
}

function createParser(mode: MarkdownMode, settings: MarkupSettings): Parser {
  const parser = new MarkdownIt({ html: true, breaks: keepsLineEnds(mode, settings), linkify: mode !== 'markdown' })
  // The final word about addresses is the sanitiser's, for Markdown and HTML alike.
  parser.validateLink = () => true
  parser.normalizeLink = (address) => parser.utils.lib.mdurl.encode(address)
  parser.normalizeLinkText = (text) => text
  parser.linkify.set({ fuzzyLink: false, fuzzyIP: false, fuzzyEmail: true })
  parser.linkify.add('ftp:', null)
  parser.linkify.add('//', null)
  for (const scheme of settings.urlSchemes) parser.linkify.add(`${scheme.toLowerCase()}:`, { validate: restOfAddress })
  parser.use(footnotes).use(definitionLists)
  blockRules(parser)
  inlineRules(parser)
  if (!settings.math) parser.disable(['math', 'math_block'])
  return parser
}

/** Byte offsets at which the lines of a text begin. */
function offsetsOf(source: string): number[] {
  const offsets = [0]
  let offset = 0
  for (const line of source.match(/[^\r\n]*(?:\r\n|\r|\n|$)/g) ?? []) {
    offset += Buffer.byteLength(line)
    offsets.push(offset)
  }
  return offsets
}

const referenceRules = (options: MarkdownOptions, rootUrl: string): ReferenceRules => ({
  rootUrl,
  ...(options.repository === undefined ? {} : { repository: options.repository }),
  numbers: options.mode === 'comment',
  keywords: options.keywords ?? defaultKeywords,
})

const languagesOf = (tokens: readonly Token[]): string[] =>
  tokens.filter((token) => token.type === 'fence').map(fenceLanguage)

/**
 * Renders Markdown to clean HTML in the family's dialect (contract: the page about Markdown and its exchanges); a text
 * that is too long, or becomes too much, as it is. It takes time by what strangers wrote: see `texts.ts`.
 */
export async function renderMarkdown(source: string, options: MarkdownOptions): Promise<Rendered> {
  const settings = options.settings ?? defaultMarkupSettings
  if (source.trim() === '') return plainly('')
  if (Buffer.byteLength(source) > settings.maxBytes) return plainly(asItIs(source))
  const front = findFrontMatter(source)
  const offsets = offsetsOf(source).slice(front?.lineCount ?? 0)
  const body =
    front === undefined
      ? source
      : Buffer.from(source)
          .subarray(offsets[0] ?? 0)
          .toString()
  const rootUrl = trimTrailing(options.rootUrl, '/')
  const state: RenderState = {
    bases: options.bases,
    ...(options.mode === 'markdown' ? {} : { references: referenceRules(options, rootUrl) }),
    ...(options.wiki === true ? { wiki: options.bases.links } : {}),
    lineOffsets: offsets,
    lines: body.split(/\r\n|\r|\n/),
    found: [],
    resolved: options.resolved ?? nothingResolved,
    highlighters: { highlight: () => undefined },
  }
  const parser = parserFor(options.mode, settings)
  const env = withState(state)
  const tokens = parser.parse(body, env)
  state.highlighters = await loadHighlighters(languagesOf(tokens))
  const html = parser.renderer.render(tokens, parser.options, env)
  const whole = (front === undefined ? '' : renderFrontMatter(front.values)) + html
  return { html: cleaned(whole, source, options.bases), candidates: candidatesOf(state.found) }
}
