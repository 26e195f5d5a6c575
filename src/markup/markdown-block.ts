import type { Env, MarkdownIt, Renderer, StateBlock, StateCore, Token } from 'markdown-it'
import { renderFormula } from './formula-place.ts'
import { escapeHtml } from './html.ts'
import { resolveAddress } from './links.ts'
import { stateOf, type Suggestion } from './markdown-env.ts'
import { ownMark } from './sanitize.ts'
import { wordTable } from '../lib/word-table.ts'

const alertTitles = wordTable<string>({
  note: 'Note',
  tip: 'Tip',
  important: 'Important',
  warning: 'Warning',
  caution: 'Caution',
})

/** Turns a quotation whose first line is only `[!KIND]` into an alert; an unknown kind stays a quotation. */
function markAlerts(state: StateCore): void {
  const { tokens } = state
  for (let index = 0; index + 3 < tokens.length; index++) {
    const [quote, paragraph, inline] = tokens.slice(index, index + 3)
    if (quote?.type !== 'blockquote_open' || paragraph?.type !== 'paragraph_open' || inline?.type !== 'inline') continue
    const match = /^\[!([a-z]+)\][ \t]*(?:\n|$)/i.exec(inline.content)
    const kind = match?.[1]?.toLowerCase() ?? ''
    if (match === null || alertTitles[kind] === undefined) continue
    quote.type = 'alert_open'
    quote.meta = { kind }
    inline.content = inline.content.slice(match[0].length)
    if (inline.content === '') tokens.splice(index + 1, 3)
  }
}

function renderAlertOpen(tokens: readonly Token[], index: number): string {
  const { kind = 'note' } = (tokens[index]?.meta ?? {}) as { readonly kind?: string }
  const className = `attention-${kind}`
  return (
    `<blockquote class="attention-header ${className}"><p class="attention-title" dir="auto">` +
    `<svg class="attention-icon ${className}" width="16" height="16" aria-hidden="true"></svg>` +
    `<strong class="${className}">${alertTitles[kind]}</strong></p>\n`
  )
}

/** Turns list items that begin with `[ ]` or `[x]` into tasks. */
function markTasks(state: StateCore): void {
  const { tokens } = state
  const { lines, lineOffsets } = stateOf(state.env)
  for (let index = 0; index + 2 < tokens.length; index++) {
    const [item, paragraph, inline] = tokens.slice(index, index + 3)
    if (item?.type !== 'list_item_open' || paragraph?.type !== 'paragraph_open' || inline?.type !== 'inline') continue
    const match = /^\[([ xX])\][ \t]+(?=\S)/.exec(inline.content)
    const line = inline.map?.[0]
    if (match === null || line === undefined) continue
    const text = lines[line] ?? ''
    const position = (lineOffsets[line] ?? 0) + Buffer.byteLength(text.slice(0, Math.max(0, text.indexOf('['))))
    inline.content = inline.content.slice(match[0].length)
    item.attrSet('class', 'task-list-item')
    item.meta = { task: { checked: match[1] !== ' ', position, loose: !paragraph.hidden } }
  }
}

interface Task {
  readonly checked: boolean
  readonly position: number
  readonly loose: boolean
}

function renderListItemOpen(
  tokens: Token[],
  index: number,
  options: Parameters<Renderer['renderToken']>[2],
  renderer: Renderer,
): string {
  const task = tokens[index]?.meta?.['task'] as Task | undefined
  if (task === undefined) return renderer.renderToken(tokens, index, options)
  const checked = task.checked ? ' checked' : ''
  return (
    `<li class="task-list-item"><input type="checkbox" disabled data-source-position="${ownMark}${task.position}"${checked}>` +
    (task.loose ? '\n' : '')
  )
}

/** Returns the visible text of a heading, with HTML tags (observed). */
const plainText = (tokens: readonly Token[]): string =>
  tokens.map((token) => (token.type === 'softbreak' ? ' ' : token.content)).join('')

/** Returns letters and digits of all scripts in lower case, joined by single dashes. */
const headingId = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? ['heading']).join('-')

function addHeadingIds(state: StateCore): void {
  const used = new Map<string, number>()
  state.tokens.forEach((token, index) => {
    if (token.type !== 'heading_open') return
    const base = headingId(plainText(state.tokens[index + 1]?.children ?? []))
    let id = base
    let repeats = used.get(base) ?? 0
    while (used.has(id)) {
      repeats += 1
      id = `${base}-${repeats}`
    }
    used.set(base, repeats)
    used.set(id, used.get(id) ?? 0)
    token.attrSet('id', `user-content-${id}`)
  })
}

/** Adds `dir="auto"` to blocks, and aligns cells by attribute. */
function addAttributes(state: StateCore): void {
  for (const token of state.tokens) {
    if (/^(?:paragraph|heading|bullet_list|ordered_list)_open$/.test(token.type)) token.attrSet('dir', 'auto')
    if (token.type === 'th_open' || token.type === 'td_open') {
      const alignment = /text-align:(\w+)/.exec(String(token.attrGet('style') ?? ''))?.[1]
      token.attrs = alignment === undefined ? null : [['align', alignment]]
    }
  }
}

/** Returns the first word of the info string of a fence. */
export const fenceLanguage = (token: Token): string => /^[^\s{,]{1,50}/.exec(token.info.trim())?.[0] ?? ''

/** Renders code that a reader turns into a diagram or formula when `isLoading`. */
function renderUnhighlighted(language: 'mermaid' | 'math', code: string, isLoading: boolean): string {
  const className = `chroma language-${language} display`
  const block = isLoading ? 'code-block is-loading' : 'code-block'
  return `<pre class="${block}"><code class="${className}">${escapeHtml(code)}</code></pre>\n`
}

const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

/** Renders lines that are suggested in place of others. */
function renderSuggestion({ removed, added }: Suggestion): string {
  const line = (element: 'del' | 'ins') => (text: string) => `<${element}>${escapeHtml(text)}\n</${element}>`
  const lines = [...removed.map(line('del')), ...added.map(line('ins'))].join('')
  return `<pre class="code-block"><code class="language-suggestion display">${lines}</code></pre>\n`
}

function renderBlockFormula(env: Env | undefined, tex: string): string {
  const state = stateOf(env)
  return state.formulas === undefined ? renderUnhighlighted('math', tex, true) : `${renderFormula(state, tex, true)}\n`
}

function renderFence(tokens: readonly Token[], index: number, env: Env | undefined): string {
  const token = tokens[index]
  if (token === undefined) return ''
  const language = fenceLanguage(token).toLowerCase()
  // Each line of code ends with a newline (CommonMark); the parser omits the last one of an unclosed fence.
  const content = token.content.replace(/[^\n]$/, '$&\n')
  if (language === 'math') return renderBlockFormula(env, content)
  if (language === 'mermaid') {
    const isDrawn = content.length <= stateOf(env).maxDiagramLength
    return renderUnhighlighted(language, content, isDrawn)
  }
  const { suggestion } = stateOf(env)
  if (suggestion !== undefined && language === 'suggestion' && content === linesOf(suggestion.added)) {
    return renderSuggestion(suggestion)
  }
  const coloured = stateOf(env).highlighters.highlight(content, language)
  const shown = coloured === undefined || !/^[\w+#.-]+$/.test(language) ? 'text' : language
  const code = coloured ?? escapeHtml(content)
  return `<pre class="code-block"><code class="chroma language-${shown} display">${code}</code></pre>\n`
}

/** Scans `$$` on a line of its own up to the next such line. */
function scanMathBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const lineText = (line: number): string =>
    state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]).trim()
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4 || lineText(startLine) !== '$$') return false
  let next = startLine + 1
  while (next < endLine && lineText(next) !== '$$') {
    if ((state.sCount[next] ?? 0) < state.blkIndent && !state.isEmpty(next)) return false
    next += 1
  }
  if (next >= endLine) return false
  if (!silent) {
    const token = state.push('math_block', 'pre', 0)
    token.content = state.getLines(startLine + 1, next, state.sCount[startLine] ?? 0, true)
    token.map = [startLine, next + 1]
    state.line = next + 1
  }
  return true
}

const renderMathBlock = (tokens: readonly Token[], index: number, env: Env | undefined): string =>
  renderBlockFormula(env, tokens[index]?.content ?? '')

/** Returns the id of a footnote: its label, or its number without one (`^[text]`). */
function footnoteId(token: Token | undefined): string {
  const label = token?.meta?.['label']
  const number = Number(token?.meta?.['id'] ?? 0) + 1
  return `user-content-${escapeHtml(typeof label === 'string' ? label : `inline-${number}`)}`
}

/** Returns the id of a reference to a footnote; each repetition has its own. */
function footnoteReferenceId(token: Token | undefined): string {
  const repeat = Number(token?.meta?.['subId'] ?? 0)
  return `fnref${repeat === 0 ? '' : repeat}:${footnoteId(token)}`
}

function footnoteRules(parser: MarkdownIt): void {
  const { rules } = parser.renderer
  rules['footnote_ref'] = (tokens, index) => {
    const token = tokens[index]
    const number = Number(token?.meta?.['id'] ?? 0) + 1
    return `<sup id="${footnoteReferenceId(token)}"><a href="#fn:${footnoteId(token)}">${number}</a></sup>`
  }
  rules['footnote_block_open'] = () => '<div>\n<hr>\n<ol>\n'
  rules['footnote_block_close'] = () => '</ol>\n</div>\n'
  rules['footnote_open'] = (tokens, index) => `<li id="fn:${footnoteId(tokens[index])}">\n`
  rules['footnote_close'] = () => '</li>\n'
  rules['footnote_anchor'] = (tokens, index) => {
    // The variation selector keeps the arrow from becoming an emoji.
    return ` <a href="#${footnoteReferenceId(tokens[index])}">\u21a9\ufe0e</a>`
  }
}

/** Renders an image, which links to itself in another window unless it is inside a link. */
function renderImage(
  tokens: readonly Token[],
  index: number,
  options: Parameters<Renderer['renderToken']>[2],
  env: Env | undefined,
  renderer: Renderer,
): string {
  const token = tokens[index]
  if (token === undefined) return ''
  const source = resolveAddress(stateOf(env).bases, String(token.attrGet('src') ?? ''), 'media')
  const titleText = token.attrGet('title')
  const title = titleText === null ? '' : ` title="${escapeHtml(String(titleText))}"`
  const alt = escapeHtml(renderer.renderInlineAsText(token.children ?? [], options, env))
  const image = `<img src="${escapeHtml(source)}" alt="${alt}"${title}>`
  if (token.meta?.['inLink'] === true) return image
  return `<a href="${escapeHtml(source)}"${title} target="_blank">${image}</a>`
}

/** Adds alerts, tasks, heading ids, footnotes, code and formula blocks, and images to a parser. */
export function blockRules(parser: MarkdownIt): void {
  const { rules } = parser.renderer
  parser.block.ruler.before('fence', 'math_block', scanMathBlock, { alt: ['paragraph', 'blockquote', 'list'] })
  parser.core.ruler.before('inline', 'alerts', markAlerts)
  parser.core.ruler.before('inline', 'tasks', markTasks)
  parser.core.ruler.after('text_join', 'heading_ids', addHeadingIds)
  parser.core.ruler.after('heading_ids', 'attributes', addAttributes)
  rules['alert_open'] = renderAlertOpen
  rules['list_item_open'] = (tokens, index, options, _env, renderer) =>
    renderListItemOpen(tokens, index, options, renderer)
  rules['fence'] = (tokens, index, _options, env) => renderFence(tokens, index, env)
  rules['math_block'] = (tokens, index, _options, env) => renderMathBlock(tokens, index, env)
  rules['image'] = renderImage
  footnoteRules(parser)
}
