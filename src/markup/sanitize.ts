import { randomUUID } from 'node:crypto'
import sanitizeHtml from 'sanitize-html'
import { type LinkBases, prefixId, resolveAddress } from './links.ts'
import { trimBoth } from '../lib/trim-ends.ts'
import { wordTable } from '../lib/word-table.ts'

/** The form of sanitised HTML. */
export interface SanitizeOptions {
  /** Bases of relative addresses; see `linkBases`. */
  readonly bases: LinkBases
  /** Precedes the ids of a text, so that the texts of one page have different ones, as in `comment-12:user-content-install`. */
  readonly idScope?: string
  /** Whether the text is for a client of the API, which gets ids and buttons of HTML as they are written (contract). */
  readonly isForApi?: boolean
  /** Whether a page shows the text: formulas are MathML. Mails, feeds, other servers and clients get their source. */
  readonly isForPage?: boolean
}

/**
 * Precedes the value of a `data-…` attribute that a renderer of this folder writes. Other values are removed: scripts act on these
 * attributes, and people can write them in HTML.
 */
export const ownMark = `${randomUUID()}:`

/** Allowed elements; of any other element only the text remains. */
const allowedTags = [
  ...[
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'p',
    'div',
    'blockquote',
    'pre',
    'hr',
    'br',
    'ul',
    'ol',
    'li',
    'dl',
    'dt',
    'dd',
  ],
  ...[
    'a',
    'abbr',
    'b',
    'bdo',
    'cite',
    'code',
    'del',
    'dfn',
    'em',
    'i',
    'ins',
    'kbd',
    'mark',
    'q',
    's',
    'samp',
    'small',
  ],
  ...[
    'span',
    'strike',
    'strong',
    'sub',
    'sup',
    'tt',
    'u',
    'var',
    'wbr',
    'ruby',
    'rb',
    'rp',
    'rt',
    'rtc',
    'time',
    'font',
  ],
  ...['table', 'caption', 'colgroup', 'col', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
  ...['img', 'picture', 'source', 'video', 'audio', 'track', 'figure', 'figcaption', 'details', 'summary', 'svg'],
  ...['input', 'section', 'article', 'aside', 'header', 'footer', 'center'],
]

const everywhere = ['id', 'class', 'style', 'title', 'dir', 'lang', 'align', 'aria-label', 'aria-hidden']

const allowedAttributes = wordTable<readonly string[]>({
  a: ['href', 'target', 'rel', 'name'],
  img: ['src', 'srcset', 'sizes', 'alt', 'width', 'height', 'loading'],
  source: ['src', 'srcset', 'sizes', 'type', 'media', 'width', 'height'],
  video: ['src', 'poster', 'controls', 'loop', 'muted', 'autoplay', 'width', 'height', 'preload', 'playsinline'],
  audio: ['src', 'controls', 'loop', 'muted', 'autoplay', 'preload'],
  track: ['src', 'kind', 'label', 'srclang', 'default'],
  ol: ['start', 'type', 'reversed'],
  li: ['value'],
  td: ['colspan', 'rowspan', 'valign', 'headers', 'width', 'height'],
  th: ['colspan', 'rowspan', 'valign', 'headers', 'width', 'height', 'scope'],
  tr: ['valign'],
  col: ['span', 'width'],
  colgroup: ['span', 'width'],
  table: ['border', 'cellpadding', 'cellspacing', 'width'],
  details: ['open'],
  time: ['datetime'],
  del: ['datetime', 'cite'],
  ins: ['datetime', 'cite'],
  q: ['cite'],
  blockquote: ['cite'],
  font: ['color'],
  svg: ['width', 'height', 'viewbox'],
  input: ['type', 'disabled', 'data-source-position', 'checked'],
  span: ['data-alias'],
  code: ['data-formula'],
  hr: ['width', 'size'],
})

/** Allowed classes by element: those that the renderers of this folder write. */
const allowedClasses = wordTable<readonly (string | RegExp)[]>({
  a: ['ref-issue', 'mention'],
  span: ['emoji', 'color-preview', 'issue-keyword', 'org-todo', 'org-done', /^hljs-[a-z_-]+$/, /^[a-z]+_$/],
  code: ['chroma', 'display', 'in-title', 'is-loading', /^language-[\w+#.-]+$/],
  pre: ['code-block', 'is-loading'],
  li: ['task-list-item'],
  blockquote: ['attention-header', /^attention-(?:note|tip|important|warning|caution)$/],
  p: ['attention-title'],
  strong: [/^attention-(?:note|tip|important|warning|caution)$/],
  svg: ['attention-icon', /^attention-(?:note|tip|important|warning|caution)$/],
  table: ['data-table'],
  th: ['line-num'],
  td: ['line-num'],
  details: ['frontmatter-content'],
})

/** Attributes that hold an address, and its kind. */
const addressAttributes = wordTable<'link' | 'media'>({
  href: 'link',
  src: 'media',
  poster: 'media',
  cite: 'link',
})

/** Schemes that run code or embed content; all others are allowed (contract). */
const refusedSchemes = new Set([
  'javascript',
  'vbscript',
  'livescript',
  'data',
  'blob',
  'filesystem',
  'view-source',
  'jar',
])

/** Returns whether the scheme of an address is allowed. Browsers ignore blanks and control characters in schemes. */
function isSafeAddress(address: string): boolean {
  const bare = address.replace(
    /[\u0000-\u0020\u007f-\u00a0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2060\u3000\ufeff]/g,
    '',
  )
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(bare)?.[1]
  return scheme === undefined || !refusedSchemes.has(scheme.toLowerCase())
}

/** Returns the pictures of `srcset` with their addresses resolved; undefined when none is allowed. */
function resolveSet(bases: LinkBases, set: string): string | undefined {
  const kept = set.split(/,(?=\s)|(?<=\s[\d.]{1,10}[wx]),/).flatMap((candidate) => {
    const [, address = '', size = ''] =
      /^(\S+)(\s+\d{1,5}(?:\.\d{1,3})?[wx])?$/.exec(trimBoth(candidate.trim(), ',')) ?? []
    return address !== '' && isSafeAddress(address) ? [resolveAddress(bases, address, 'media') + size] : []
  })
  return kept.length === 0 ? undefined : kept.join(', ')
}

const colour = /^(?:#[0-9a-f]{3,8}|[a-z]{3,30}|(?:rgb|hsl)a?\(\s*[-\d.,%\s/deg]{1,60}\))$/i

/** Returns only the colour declarations of a style. */
function colourDeclarations(style: string): string {
  const kept: string[] = []
  for (const declaration of style.slice(0, 2000).split(';')) {
    const [property = '', value = '', ...rest] = declaration.split(':').map((part) => part.trim())
    if (rest.length === 0 && /^(?:color|background-color)$/i.test(property) && colour.test(value)) {
      kept.push(`${property.toLowerCase()}: ${value}`)
    }
  }
  return kept.join('; ')
}

/** Returns `rel` of a link: its own words, `nofollow`, and `noopener` when it opens another window. */
function relOf(own: string | undefined, target: string | undefined): string {
  const words = new Set(
    (own ?? '')
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => /^[a-z-]{1,20}$/.test(word)),
  )
  words.add('nofollow')
  if (target !== undefined) words.add('noopener')
  return [...words].join(' ')
}

/** Gives the ids of an element, and its references to ids, the prefix and the scope of the text. */
function scopeIds(tag: string, kept: sanitizeHtml.Attributes, { idScope, isForApi }: SanitizeOptions): void {
  if (isForApi === true) return
  const scope = idScope === undefined ? '' : `${idScope}:`
  const scoped = (id: string): string => scope + prefixId(id)
  for (const name of ['id', 'name', 'headers']) {
    const ids = kept[name]?.split(/\s+/).filter((id) => id !== '') ?? []
    if (ids.length > 0) kept[name] = ids.map(scoped).join(' ')
    else delete kept[name]
  }
  if (tag === 'a' && kept.href?.startsWith('#') && kept.href.length > 1) kept.href = `#${scoped(kept.href.slice(1))}`
}

/** Removes `data-…` attributes that people wrote, and the mark of the others. */
function removeForeignData(kept: sanitizeHtml.Attributes): void {
  for (const [name, value] of Object.entries(kept)) {
    if (!name.startsWith('data-')) continue
    if (value.startsWith(ownMark)) kept[name] = value.slice(ownMark.length)
    else delete kept[name]
  }
}

function cleanAttributes(
  tag: string,
  attributes: sanitizeHtml.Attributes,
  options: SanitizeOptions,
): sanitizeHtml.Attributes {
  const { bases } = options
  const { rel, ...kept } = attributes
  removeForeignData(kept)
  for (const [name, kind] of Object.entries(addressAttributes)) {
    const address = kept[name]?.trim()
    if (address === undefined) continue
    if (isSafeAddress(address)) kept[name] = resolveAddress(bases, address, kind)
    else delete kept[name]
  }
  if (kept.srcset !== undefined) {
    const set = resolveSet(bases, kept.srcset)
    if (set === undefined) delete kept.srcset
    else kept.srcset = set
  }
  if (kept.style !== undefined) {
    const colours = colourDeclarations(kept.style)
    if (colours === '') delete kept.style
    else kept.style = colours
  }
  if (tag === 'a') {
    if (kept.target !== undefined && kept.target !== '_blank') delete kept.target
    if (kept.href !== undefined) kept.rel = relOf(rel, kept.target)
  }
  if (tag === 'input') kept.disabled = ''
  scopeIds(tag, kept, options)
  return kept
}

/** Empties SVG elements: their content is parsed by other rules than HTML. */
function emptySvg(html: string): string {
  if (!html.includes('<svg')) return html
  let depth = 0
  let from = 0
  let out = ''
  for (const match of html.matchAll(/<(\/?)svg\b[^>]*>/g)) {
    if (match[1] === '') {
      if (depth === 0) out += html.slice(from, match.index) + match[0]
      depth += 1
    } else if (depth > 0) {
      depth -= 1
      if (depth === 0) out += match[0]
    }
    if (depth === 0) from = match.index + match[0].length
  }
  return depth === 0 ? out + html.slice(from) : `${out}</svg>`
}

/** Removes elements that are meaningless without attributes; a link keeps its text. */
function dropWithoutAttributes(frame: sanitizeHtml.IFrame): boolean | 'excludeTag' {
  const bare = Object.keys(frame.attribs).length === 0
  if (frame.tag === 'a' || frame.tag === 'font') return bare ? 'excludeTag' : false
  if (frame.tag === 'img') return bare
  if (frame.tag === 'input') return frame.attribs['type'] !== 'checkbox'
  return false
}

const rules: sanitizeHtml.IOptions = {
  allowedTags,
  allowedAttributes: {
    '*': [...everywhere],
    ...Object.fromEntries(Object.entries(allowedAttributes).map(([tag, names]) => [tag, [...names]])),
  },
  allowedClasses: Object.fromEntries(allowedTags.map((tag) => [tag, [...(allowedClasses[tag] ?? [])]])),
  // `cleanAttributes` checks schemes, by a list of refused ones.
  allowedSchemesAppliedToAttributes: [],
  allowProtocolRelative: true,
  parseStyleAttributes: false,
  nonTextTags: ['script', 'style', 'title', 'noscript', 'template'],
  nestingLimit: 200,
  exclusiveFilter: dropWithoutAttributes,
  textFilter: (text) => text.replaceAll('"', '&#34;'),
}

/**
 * Sanitises HTML by lists of allowed elements, attributes and classes (with `sanitize-html`), and resolves addresses. The result is
 * balanced and has no leading blanks.
 */
export function sanitize(html: string, options: SanitizeOptions): string {
  const clean = sanitizeHtml(html, {
    ...rules,
    allowedTags: options.isForApi === true ? [...allowedTags, 'button'] : allowedTags,
    transformTags: { '*': (tagName, attribs) => ({ tagName, attribs: cleanAttributes(tagName, attribs, options) }) },
  })
  return emptySvg(clean).replaceAll('&quot;', '&#34;').replaceAll("'", '&#39;').trimStart()
}
