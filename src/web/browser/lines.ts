import { around } from './present.ts'

/** More lines are not marked. */
const maxMarked = 20_000

interface LineRange {
  /** What the ids of the lines begin with, such as `L`. */
  readonly prefix: string
  readonly first: number
  readonly last: number
}

/** Reads `#L10`, `#L10-L20` or `#diff-3-R10-R20`. */
function rangeOf(hash: string): LineRange | undefined {
  const match = /^#(.*?[A-Za-z])(\d{1,7})(?:-[A-Za-z](\d{1,7}))?$/.exec(decodeURIComponent(hash))
  if (!match?.[1]) return undefined
  const [from, to] = [Number(match[2]), Number(match[3] ?? match[2])]
  return { prefix: match[1], first: Math.min(from, to), last: Math.max(from, to) }
}

function mark(hash: string): Element | null {
  for (const line of document.querySelectorAll('[data-lines] .is-marked')) line.classList.remove('is-marked')
  const range = rangeOf(hash)
  if (!range) return null
  for (let number = range.first; number <= Math.min(range.last, range.first + maxMarked); number++) {
    const line = document.querySelector(`[data-lines] #${CSS.escape(`${range.prefix}${number}`)}`)
    if (line) (line.closest('tr') ?? line).classList.add('is-marked')
  }
  return document.querySelector('[data-lines] .is-marked')
}

/** Puts a range into the address and marks it. */
function choose({ prefix, first, last }: LineRange): void {
  const hash = first === last ? `#${prefix}${first}` : `#${prefix}${first}-${prefix.at(-1) ?? ''}${last}`
  history.replaceState(history.state, '', hash)
  mark(hash)
}

/** Marks the lines between two ids on the same side of a file, and returns their numbers. */
export function chooseLines(from: string, to: string): string | undefined {
  const [begin, end] = [rangeOf(`#${from}`), rangeOf(`#${to}`)]
  if (!begin || begin.prefix !== end?.prefix) return undefined
  const range = { prefix: end.prefix, first: Math.min(begin.first, end.first), last: Math.max(begin.first, end.first) }
  choose(range)
  return range.first === range.last ? `${range.first}` : `${range.first}–${range.last}`
}

const lineLink = '[data-lines] a[href^="#"]'
const lineAt = (event: Event): LineRange | undefined => rangeOf(around(event, lineLink)?.getAttribute('href') ?? '')

/** Where a drag over line numbers began. */
let dragged: LineRange | undefined
document.addEventListener('pointerdown', (event) => {
  dragged = event.button === 0 && event.pointerType === 'mouse' && !event.shiftKey ? lineAt(event) : undefined
})
document.addEventListener('pointerup', () => (dragged = undefined))
document.addEventListener('pointerover', (event) => {
  if (!dragged || event.buttons !== 1) return
  const reached = lineAt(event)
  if (reached?.prefix !== dragged.prefix) return
  const { first } = dragged
  choose({ prefix: reached.prefix, first: Math.min(first, reached.first), last: Math.max(first, reached.first) })
})
document.addEventListener('dragstart', (event) => {
  if (around(event, lineLink)) event.preventDefault()
})

/** The form of a comment is drawn in the frame of its file; without scripts the whole page comes again. */
function showInFile(link: HTMLAnchorElement): void {
  const frame = link.closest('turbo-frame')
  const path = link.closest<HTMLElement>('.diff-file')?.ariaLabel
  if (!frame || !path) return
  const address = new URL(link.href)
  address.searchParams.set('file', path)
  link.href = address.href
  link.dataset['turboFrame'] = frame.id
}

// A comment on a line of the marked range is about the range.
document.addEventListener(
  'click',
  (event) => {
    const link = around(event, '[data-lines] a[data-line-key]')
    if (!(link instanceof HTMLAnchorElement)) return
    showInFile(link)
    const range = rangeOf(location.hash)
    if (!range || range.first === range.last) return
    const clicked = rangeOf(link.hash)
    if (clicked?.prefix !== range.prefix || clicked.first < range.first || clicked.first > range.last) return
    const address = new URL(link.href)
    const side = range.prefix.at(-1) ?? ''
    const file = /\d+-/.exec(range.prefix)?.[0] ?? ''
    address.searchParams.set('line', `${file}${side}${range.first}-${side}${range.last}`)
    address.hash = location.hash
    link.href = address.href
  },
  true,
)

document.addEventListener('click', (event) => {
  const link = around(event, '[data-lines] a[href^="#"]')
  const clicked = link ? rangeOf(link.getAttribute('href') ?? '') : undefined
  if (!clicked || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  const start = event.shiftKey ? rangeOf(location.hash) : undefined
  const first = start?.prefix === clicked.prefix ? Math.min(start.first, clicked.first) : clicked.first
  const last = start?.prefix === clicked.prefix ? Math.max(start.first, clicked.first) : clicked.first
  choose({ prefix: clicked.prefix, first, last })
})

function look(line: Element | null): void {
  const group = line?.closest('details:not([open])')
  if (group instanceof HTMLDetailsElement) group.open = true
  line?.scrollIntoView({ block: 'center' })
}

const markAddress = () => {
  if (document.querySelector('[data-lines]')) look(mark(location.hash))
}

/** Whether the page was opened by a link or an address. Back, a reload and a refresh keep the place. */
let isOpened = performance.getEntriesByType('navigation').some((entry) => 'type' in entry && entry.type === 'navigate')
document.addEventListener('turbo:visit', (event) => {
  isOpened = (event as CustomEvent<{ action: string }>).detail.action === 'advance'
})

document.addEventListener('turbo:load', () => {
  markAddress()
  const first = document.querySelector<HTMLElement>('[data-first-line]')?.dataset['firstLine']
  if (isOpened && location.hash === '' && first !== undefined) look(document.querySelector(`[data-lines] #${first}`))
  isOpened = false
})
document.addEventListener('turbo:frame-load', markAddress)
addEventListener('hashchange', markAddress)
