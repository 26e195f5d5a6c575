import { loadHighlighters, type Highlighters } from './highlight.ts'
import { escapeHtml } from './html.ts'
import { wordTable } from '../lib/word-table.ts'

const maxListDepth = 20

/** The elements of Org's emphasis markers. */
const emphasis = wordTable<string>({ '*': 'b', '/': 'i', _: 'u', '+': 'del', '=': 'code', '~': 'code' })

const imageAddress = /\.(?:png|jpe?g|gif|svg|webp|avif|bmp)$/i

function renderLink(target: string, label: string | undefined): string {
  const address = target.replace(/^file:(?!\/\/)/, '')
  if (label === undefined && imageAddress.test(address)) {
    return `<a href="${escapeHtml(address)}" target="_blank"><img src="${escapeHtml(address)}" alt=""></a>`
  }
  const anchor = /^[*#](.+)$/.exec(address)?.[1]
  const href = anchor === undefined ? address : `#user-content-${idOf(anchor)}`
  return `<a href="${escapeHtml(href)}">${label === undefined ? escapeHtml(target) : renderInline(label)}</a>`
}

const inline = new RegExp(
  [
    String.raw`\[\[([^\][\n]{1,2000})\](?:\[([^\]\n]{1,2000})\])?\]`,
    String.raw`(?<![\p{L}\p{N}])([*/_+=~])(\S(?:[^\n]{0,200}?\S)?)\3(?![\p{L}\p{N}])`,
    String.raw`(?<![\w"])(https?:\/\/[^\s<>"\])]{1,2000})`,
    String.raw`\\\\$`,
  ].join('|'),
  'gmu',
)

/** Renders links, emphasis and line breaks. */
function renderInline(text: string): string {
  let out = ''
  let from = 0
  for (const match of text.matchAll(inline)) {
    out += escapeHtml(text.slice(from, match.index))
    const [whole, target, label, mark, marked = '', address] = match
    if (target !== undefined) out += renderLink(target, label)
    else if (mark !== undefined) {
      const element = emphasis[mark] ?? 'span'
      out += `<${element}>${element === 'code' ? escapeHtml(marked) : renderInline(marked)}</${element}>`
    } else if (address !== undefined) out += `<a href="${escapeHtml(address)}">${escapeHtml(address)}</a>`
    else out += '<br>'
    from = match.index + whole.length
  }
  return out + escapeHtml(text.slice(from))
}

const idOf = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? ['heading']).join('-')

function renderHeadline(stars: string, text: string): string {
  const [, keyword, title = ''] = /^(?:(TODO|DONE)\s)?(.*)$/.exec(text) ?? [undefined, undefined, text]
  const tags = title.lastIndexOf(' :')
  const rest = (tags >= 0 && /^:[\w@:]+:$/.test(title.slice(tags + 1)) ? title.slice(0, tags) : title).trim()
  const level = Math.min(6, stars.length)
  const state = keyword === undefined ? '' : `<span class="org-${keyword.toLowerCase()}">${keyword}</span> `
  return `<h${level} id="user-content-${idOf(rest)}" dir="auto">${state}${renderInline(rest)}</h${level}>`
}

function renderTableRows(lines: readonly string[]): string {
  const rows = lines.map((line) => line.trim())
  const rule = rows.findIndex((row) => /^\|[-+]+/.test(row))
  const html = rows.flatMap((row, index) => {
    if (/^\|[-+]+/.test(row)) return []
    const cell = index < rule ? 'th' : 'td'
    const cells = row.replace(/^\||\|$/g, '').split('|')
    return [`<tr>${cells.map((text) => `<${cell}>${renderInline(text.trim())}</${cell}>`).join('')}</tr>`]
  })
  return `<table>\n${html.join('\n')}\n</table>`
}

interface ListItem {
  readonly indent: number
  readonly ordered: boolean
  readonly text: string
}

const listLine = /^(\s*)(?:([-+])|(\d+)[.)])\s+(.*)$/

/** Renders the items from `at` on that are indented at least as far as the first one. */
function renderItems(
  items: readonly ListItem[],
  at: number,
  depth: number,
): { readonly html: string; readonly next: number } {
  const first = items[at]
  if (first === undefined) return { html: '', next: at }
  const element = first.ordered ? 'ol' : 'ul'
  const parts: string[] = []
  let next = at
  while (next < items.length) {
    const item = items[next] as ListItem
    if (item.indent < first.indent) break
    next += 1
    const inner =
      items[next] !== undefined && (items[next] as ListItem).indent > item.indent && depth < maxListDepth
        ? renderItems(items, next, depth + 1)
        : undefined
    if (inner !== undefined) next = inner.next
    const box = /^\[([ xX-])\]\s+(.*)$/s.exec(item.text)
    const checkbox =
      box === null ? '' : `<input type="checkbox" disabled${box[1] === ' ' || box[1] === '-' ? '' : ' checked'}>`
    const body = renderInline(box?.[2] ?? item.text)
    const open = box === null ? '<li>' : '<li class="task-list-item">'
    parts.push(`${open}${checkbox}${body}${inner === undefined ? '' : `\n${inner.html}\n`}</li>`)
  }
  return { html: `<${element} dir="auto">\n${parts.join('\n')}\n</${element}>`, next }
}

function renderBlock(kind: string, argument: string, lines: readonly string[], highlighters: Highlighters): string {
  const text = `${lines.join('\n')}\n`
  if (kind === 'quote') return `<blockquote>\n${renderLines(lines, highlighters)}\n</blockquote>`
  if (kind === 'center') return `<center>${renderLines(lines, highlighters)}</center>`
  if (kind === 'verse') return `<p dir="auto">${lines.map(renderInline).join('<br>\n')}</p>`
  if (kind === 'comment') return ''
  const language = kind === 'src' ? argument.toLowerCase() : ''
  const coloured = highlighters.highlight(text, language)
  const shown = coloured === undefined ? 'text' : language
  const code = coloured ?? escapeHtml(text)
  return `<pre class="code-block"><code class="chroma language-${shown} display">${code}</code></pre>`
}

const blockBegin = /^\s*#\+begin_(\w+)(?:\s+(\S+))?/i

/** Returns the lines from `at` on while they satisfy a test. */
function takeWhile(lines: readonly string[], at: number, test: (line: string) => boolean): readonly string[] {
  let end = at
  while (end < lines.length && test(lines[end] as string)) end += 1
  return lines.slice(at, end)
}

function listItems(lines: readonly string[]): ListItem[] {
  const items: ListItem[] = []
  for (const line of lines) {
    const [, indent = '', , number, text = ''] = listLine.exec(line) ?? []
    const last = items.at(-1)
    if (listLine.test(line)) items.push({ indent: indent.length, ordered: number !== undefined, text })
    else if (last !== undefined) items[items.length - 1] = { ...last, text: `${last.text}\n${line.trim()}` }
  }
  return items
}

const startsBlock = (line: string): boolean =>
  line.trim() === '' ||
  /^\*+\s|^\s*\||^\s*#\+|^\s*#(?:\s|$)|^\s*-{5,}\s*$|^\s*:[\w-]+:/.test(line) ||
  listLine.test(line)

/** Returns a function that finds the closing line of a block. All lines are matched once, so unclosed blocks take linear time. */
function endFinder(lines: readonly string[], end: RegExp): (kind: string, after: number) => number {
  const ends = new Map<string, number[]>()
  lines.forEach((line, index) => {
    const match = end.exec(line)
    if (match === null) return
    const kind = (match[1] ?? '').toLowerCase()
    const known = ends.get(kind)
    if (known === undefined) ends.set(kind, [index])
    else known.push(index)
  })
  return (kind, after) => {
    const known = ends.get(kind.toLowerCase()) ?? []
    while (known.length > 0 && (known[0] as number) <= after) known.shift()
    return known[0] ?? -1
  }
}

function renderLines(lines: readonly string[], highlighters: Highlighters): string {
  const out: string[] = []
  const endOfBlock = endFinder(lines, /^\s*#\+end_(\w+)/i)
  const endOfDrawer = endFinder(lines, /^\s*:end:\s*$/i)
  let at = 0
  while (at < lines.length) {
    const line = lines[at] as string
    const headline = /^(\*+)\s+(.*)$/.exec(line)
    const block = blockBegin.exec(line)
    const end = block === null ? -1 : endOfBlock(block[1] ?? '', at)
    const drawerEnd = /^\s*:[\w-]+:\s*$/.test(line) ? endOfDrawer('', at) : -1
    if (headline !== null) {
      out.push(renderHeadline(headline[1] ?? '*', headline[2] ?? ''))
      at += 1
    } else if (block !== null && end > 0) {
      out.push(renderBlock((block[1] ?? '').toLowerCase(), block[2] ?? '', lines.slice(at + 1, end), highlighters))
      at = end + 1
    } else if (drawerEnd > 0) {
      at = drawerEnd + 1
    } else if (/^\s*#\+title:/i.test(line)) {
      out.push(`<h1 dir="auto">${renderInline(line.replace(/^\s*#\+title:\s*/i, ''))}</h1>`)
      at += 1
    } else if (line.trim() === '' || /^\s*#(?:\+|\s|$)/.test(line)) {
      at += 1
    } else if (/^\s*-{5,}\s*$/.test(line)) {
      out.push('<hr>')
      at += 1
    } else if (/^\s*\|/.test(line)) {
      const rows = takeWhile(lines, at, (other) => /^\s*\|/.test(other))
      out.push(renderTableRows(rows))
      at += rows.length
    } else if (/^\s*: /.test(line)) {
      const fixed = takeWhile(lines, at, (other) => /^\s*:(?: |$)/.test(other))
      out.push(`<pre><code>${escapeHtml(fixed.map((text) => text.replace(/^\s*: ?/, '')).join('\n'))}\n</code></pre>`)
      at += fixed.length
    } else if (listLine.test(line)) {
      const part = takeWhile(
        lines,
        at,
        (other) => listLine.test(other) || (/^\s+\S/.test(other) && !startsBlock(other)),
      )
      const items = listItems(part)
      for (let next = 0; next < items.length;) {
        const list = renderItems(items, next, 0)
        out.push(list.html)
        next = list.next
      }
      at += part.length
    } else {
      const paragraph = [line, ...takeWhile(lines, at + 1, (other) => !startsBlock(other))]
      out.push(`<p dir="auto">${renderInline(paragraph.map((text) => text.trim()).join('\n'))}</p>`)
      at += paragraph.length
    }
  }
  return out.join('\n')
}

/**
 * Renders common Org syntax (orgmode.org/manual): headlines, lists with checkboxes, tables, blocks, links, emphasis. The result is
 * not sanitised. uniorg-parse, the maintained library, takes seconds for 3,000 characters such as repeated `*a `.
 */
export async function renderOrg(source: string): Promise<string> {
  const lines = source.split(/\r\n|\r|\n/)
  const languages = lines.flatMap((line) => blockBegin.exec(line)?.[2] ?? [])
  return renderLines(lines, await loadHighlighters(languages))
}
