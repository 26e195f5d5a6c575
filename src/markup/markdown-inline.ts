import type { Delimiter, Env, MarkdownIt, StateCore, StateInline, Token } from 'markdown-it'
import { visitInline } from './literal-elements.ts'
import { emojiByName, findEmoji, type Emoji } from './emoji.ts'
import { renderFormula } from './formula-place.ts'
import { escapeHtml } from './html.ts'
import { stateOf } from './markdown-env.ts'
import { ownMark } from './sanitize.ts'
import { findReferences, maxReferences, renderReference, shortenAddress, type Reference } from './references.ts'

const tilde = 0x7e
const dollar = 0x24
/** Single and double tildes must not pair, so each has a marker outside the range of characters. */
const singleTilde = 0x110001
const doubleTilde = 0x110002

/** Scans strike-through with one or two tildes; longer runs are text. */
function scanTildes(state: StateInline, silent: boolean): boolean {
  if (silent || state.src.charCodeAt(state.pos) !== tilde) return false
  const scanned = state.scanDelims(state.pos, true)
  const token = state.push('text', '', 0)
  token.content = '~'.repeat(scanned.length)
  if (scanned.length <= 2) {
    state.delimiters.push({
      marker: scanned.length === 1 ? singleTilde : doubleTilde,
      length: 0, // Disables the rule of three, which applies only to emphasis.
      token: state.tokens.length - 1,
      end: -1,
      open: scanned.can_open,
      close: scanned.can_close,
    })
  }
  state.pos += scanned.length
  return true
}

function pairTildes(state: StateInline, delimiters: readonly Delimiter[]): void {
  for (const start of delimiters) {
    if ((start.marker !== singleTilde && start.marker !== doubleTilde) || start.end === -1) continue
    const end = delimiters[start.end]
    const open = state.tokens[start.token]
    const close = end === undefined ? undefined : state.tokens[end.token]
    if (open === undefined || close === undefined) continue
    for (const [token, name, nesting] of [[open, 'open', 1] as const, [close, 'close', -1] as const]) {
      token.type = `s_${name}`
      token.tag = 'del'
      token.nesting = nesting
      token.markup = token.content
      token.content = ''
    }
  }
}

function strikethrough(state: StateInline): boolean {
  pairTildes(state, state.delimiters)
  for (const meta of state.tokens_meta) if (meta?.delimiters !== undefined) pairTildes(state, meta.delimiters)
  return true
}

/** Scans `$x$` and `$$x$$` on one line; a dollar before a digit or beside a blank is money. */
function scanMath(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== dollar) return false
  const rest = state.src.slice(state.pos, state.pos + 1000)
  const match = /^\$\$([^$\n]+)\$\$|^\$([^\s$]|[^\s$][^$\n]*[^\s$\\])\$(?![\p{L}\p{N}])/u.exec(rest)
  if (match === null) return false
  if (!silent) {
    const token = state.push('math_inline', 'code', 0)
    token.content = match[1] ?? match[2] ?? ''
    token.markup = match[1] === undefined ? '$' : '$$'
  }
  state.pos += match[0].length
  return true
}

/** Scans wiki links: `[[Page]]` and `[[Text|Page]]`. */
function scanWikiLink(state: StateInline, silent: boolean): boolean {
  if (!state.src.startsWith('[[', state.pos)) return false
  const { wiki } = stateOf(state.env)
  const match = /^\[\[([^[\]|\n]{1,200})(?:\|([^[\]|\n]{1,200}))?\]\]/.exec(state.src.slice(state.pos, state.pos + 410))
  if (wiki === undefined || match === null) return false
  if (!silent) {
    const page = (match[2] ?? match[1] ?? '').trim()
    const open = state.push('link_open', 'a', 1)
    const [name = '', ...fragment] = page.split('#')
    const path = name
      .trim()
      .split('/')
      .map((part) => encodeURIComponent(part.replace(/ /g, '-')))
      .join('/')
    open.attrs = [['href', `${wiki}/${path}${fragment.length === 0 ? '' : `#user-content-${fragment.join('#')}`}`]]
    state.push('text', '', 0).content = (match[1] ?? '').trim()
    state.push('link_close', 'a', -1)
  }
  state.pos += match[0].length
  return true
}

const colourCode = /^(?:#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|(?:rgb|hsl)a?\([\d.,%\s/deg-]{5,60}\))$/i

function renderInlineCode(tokens: readonly Token[], index: number): string {
  const content = tokens[index]?.content ?? ''
  const colour = content.trim()
  const preview = colourCode.test(colour)
    ? `<span class="color-preview" style="background-color: ${escapeHtml(colour)}"></span>`
    : ''
  return `<code>${escapeHtml(content)}${preview}</code>`
}

function renderMath(tokens: readonly Token[], index: number, env: Env | undefined): string {
  const { content = '', markup = '$', meta } = tokens[index] ?? {}
  const state = stateOf(env)
  const isBlock = markup === '$$'
  if (state.formulas === undefined) {
    return `<code class="language-math ${isBlock ? 'display ' : ''}is-loading">${escapeHtml(content)}</code>`
  }
  return meta?.['isLiteral'] === true
    ? escapeHtml(markup + content + markup)
    : renderFormula(state, /^`[^`]+`$/.test(content) ? content.slice(1, -1) : content, isBlock)
}

function renderEmoji({ character, description, alias }: Emoji): string {
  const label = escapeHtml(description)
  return `<span class="emoji" aria-label="${label}" data-alias="${ownMark}${escapeHtml(alias)}">${character}</span>`
}

function htmlToken(state: StateCore, level: number, html: string): Token {
  const token = new state.Token('html_inline', '', 0)
  token.content = html
  token.level = level
  return token
}

function textToken(state: StateCore, level: number, text: string): Token {
  const token = new state.Token('text', '', 0)
  token.content = text
  token.level = level
  return token
}

/** Splits a text into text tokens and emoji, by name and by character. */
function splitEmoji(state: StateCore, level: number, text: string): Token[] {
  const marks = findEmoji(text).map(({ index, emoji }) => ({ index, length: emoji.character.length, emoji }))
  for (const match of text.matchAll(/:([a-z0-9_+-]{1,50}):/gi)) {
    const emoji = emojiByName((match[1] ?? '').toLowerCase())
    if (emoji !== undefined) marks.push({ index: match.index, length: match[0].length, emoji })
  }
  if (marks.length === 0) return [textToken(state, level, text)]
  const tokens: Token[] = []
  let from = 0
  for (const mark of marks.sort((a, b) => a.index - b.index)) {
    if (mark.index < from) continue
    if (mark.index > from) tokens.push(textToken(state, level, text.slice(from, mark.index)))
    tokens.push(htmlToken(state, level, renderEmoji(mark.emoji)))
    from = mark.index + mark.length
  }
  if (from < text.length) tokens.push(textToken(state, level, text.slice(from)))
  return tokens
}

function splitText(state: StateCore, token: Token, inLink: boolean): Token[] {
  const { references, found } = stateOf(state.env)
  const pieces =
    references === undefined || inLink
      ? [token.content]
      : findReferences(token.content, references, maxReferences - found.length)
  return pieces.flatMap((piece) => {
    if (typeof piece === 'string') return splitEmoji(state, token.level, piece)
    found.push(piece)
    const replaced = new state.Token('reference', '', 0)
    replaced.content = piece.text
    replaced.level = token.level
    replaced.meta = { reference: piece }
    return [replaced]
  })
}

/** Returns the short form of a link made from a bare address of this instance. */
function shortened(state: StateCore, children: readonly Token[], index: number): Token | undefined {
  const { references } = stateOf(state.env)
  const [open, text, close] = children.slice(index, index + 3)
  if (references === undefined || open?.markup !== 'linkify') return undefined
  if (close?.type !== 'link_close' || text?.type !== 'text') return undefined
  const html = shortenAddress(String(open.attrGet('href') ?? ''), references)
  return html === undefined ? undefined : htmlToken(state, open.level, html)
}

/**
 * Replaces references and emoji in text outside of literal elements. It runs while escaped characters are separate tokens, so `\#1` and
 * `\:smile:` stay text.
 */
function linkReferences(state: StateCore): void {
  visitInline(state.tokens, (block, literal) => {
    if (block.children === null) return
    const children: Token[] = []
    let links = 0
    let htmlLinks = 0
    for (let index = 0; index < block.children.length; index++) {
      const token = block.children[index] as Token
      const short = token.type === 'link_open' ? shortened(state, block.children, index) : undefined
      if (short !== undefined) {
        children.push(short)
        index += 2
        continue
      }
      if (token.type === 'link_open') links += 1
      if (token.type === 'link_close') links -= 1
      if (token.type === 'html_inline') literal.read(token.content, block.level)
      if (token.type === 'html_inline' && /^<a[\s>]/i.test(token.content)) htmlLinks += 1
      if (token.type === 'html_inline' && /^<\/a\s*>/i.test(token.content)) htmlLinks = Math.max(0, htmlLinks - 1)
      const inLink = links + htmlLinks > 0
      if (token.type === 'image') token.meta = { ...token.meta, inLink }
      if (token.type === 'math_inline' && literal.isInside) token.meta = { ...token.meta, isLiteral: true }
      if (token.type !== 'text' || literal.isInside) children.push(token)
      else for (const part of splitText(state, token, inLink)) children.push(part)
    }
    block.children = children
  })
}

function renderReferenceToken(tokens: readonly Token[], index: number, env: Env | undefined): string {
  const { references, resolved } = stateOf(env)
  const reference = tokens[index]?.meta?.['reference'] as Reference
  return references === undefined ? escapeHtml(reference.text) : renderReference(reference, references, resolved)
}

/** Adds strike-through, formulas, wiki links, colour previews, emoji, references and short addresses to a parser. */
export function inlineRules(parser: MarkdownIt): void {
  parser.disable('strikethrough')
  parser.inline.ruler.before('emphasis', 'tildes', scanTildes)
  parser.inline.ruler2.before('emphasis', 'tildes', strikethrough)
  parser.inline.ruler.before('escape', 'math', scanMath)
  parser.inline.ruler.before('link', 'wiki_link', scanWikiLink)
  parser.core.ruler.before('text_join', 'references', linkReferences)
  parser.renderer.rules['code_inline'] = renderInlineCode
  parser.renderer.rules['math_inline'] = (tokens, index, _options, env) => renderMath(tokens, index, env)
  parser.renderer.rules['reference'] = (tokens, index, _options, env) => renderReferenceToken(tokens, index, env)
}
