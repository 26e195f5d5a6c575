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
    const line = document.getElementById(`${range.prefix}${number}`)
    if (line?.closest('[data-lines]')) (line.closest('tr') ?? line).classList.add('is-marked')
  }
  return document.querySelector('[data-lines] .is-marked')
}

document.addEventListener('click', (event) => {
  const link = around(event, '[data-lines] a[href^="#"]')
  const clicked = link ? rangeOf(link.getAttribute('href') ?? '') : undefined
  if (!clicked || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  const start = event.shiftKey ? rangeOf(location.hash) : undefined
  const first = start?.prefix === clicked.prefix ? Math.min(start.first, clicked.first) : clicked.first
  const last = start?.prefix === clicked.prefix ? Math.max(start.first, clicked.first) : clicked.first
  const side = clicked.prefix.at(-1) ?? ''
  const hash = first === last ? `#${clicked.prefix}${first}` : `#${clicked.prefix}${first}-${side}${last}`
  history.replaceState(history.state, '', hash)
  mark(hash)
})

const markAddress = () => {
  if (document.querySelector('[data-lines]')) mark(location.hash)?.scrollIntoView({ block: 'center' })
}
document.addEventListener('turbo:load', markAddress)
document.addEventListener('turbo:frame-load', markAddress)
addEventListener('hashchange', markAddress)
