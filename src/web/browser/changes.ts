import { chooseLines } from './lines.ts'
import { lineOf, rowText, showSuggestion, sideOf } from './suggesting.ts'

/** Where the cursor was on a page that is drawn again, such as after a file was marked as viewed. */
let kept: { readonly page: string; readonly id: string } | undefined
document.addEventListener('turbo:load', () => {
  if (kept?.page !== location.pathname) kept = undefined
})

interface SubmitEnd {
  readonly success?: boolean
  readonly formSubmission: { readonly submitter?: HTMLElement; readonly body: FormData | URLSearchParams }
}

/**
 * Keys of changed files: the buttons of `[data-change-keys]` have the keys and name the act. The cursor is the focus, so that screen
 * readers say where it is; it stays in memory while the focus is elsewhere.
 */
export function connectChanges(root: HTMLElement): () => void {
  const keys = document.querySelector<HTMLElement>('[data-change-keys]')
  const status = document.querySelector<HTMLElement>('[data-change-status]')
  if (!keys || !status) return () => undefined

  /** What had the focus last, and the id of its row or file: the element goes when its file is drawn again. */
  let last: { readonly element?: Element; readonly id: string } | undefined =
    kept?.page === location.pathname ? { id: kept.id } : undefined
  /** Id of the line at which the marked range began. */
  let anchor: string | undefined
  const rows = root.getElementsByTagName('tr')

  const say = (text: string | undefined) => {
    status.textContent = ''
    // A status that changes to the same words is said again only as another change.
    requestAnimationFrame(() => (status.textContent = text ?? ''))
  }
  /** Where the cursor is; null before its first step. */
  const place = (): Element | null => {
    const focused = document.activeElement
    if (focused && root.contains(focused)) return focused
    if (last?.element?.isConnected && root.contains(last.element)) return last.element
    return (last && document.getElementById(last.id)) ?? root.querySelector('.is-marked')
  }
  const fileAt = (element: Element | null): HTMLElement | null => element?.closest<HTMLElement>('.diff-frame') ?? null

  const focus = (
    element: HTMLElement | null | undefined,
    block: ScrollLogicalPosition = 'nearest',
    shown: Element | null | undefined = element,
  ): boolean => {
    if (!element) return false
    element.focus({ preventScroll: true })
    shown?.scrollIntoView({ block })
    return document.activeElement === element
  }
  const focusRow = (row: Element | undefined) => {
    const links = [...(row?.querySelectorAll<HTMLElement>('a:not([tabindex])') ?? [])]
    const link = links.at(-1)
    if (!row || !link) return
    link.setAttribute(
      'aria-description',
      rowText(link.closest('td')?.matches('.num') ? row : (link.closest('td') ?? row)),
    )
    focus(link, 'center')
  }

  /** Number of the first row behind an element; the row itself counts as behind. */
  const rowAfter = (element: Element | null): number => {
    let [low, high] = [0, element ? rows.length : 0]
    while (low < high) {
      const middle = (low + high) >> 1
      const row = rows[middle] as Element
      const isBehind =
        row.contains(element) || !(element!.compareDocumentPosition(row) & Node.DOCUMENT_POSITION_PRECEDING)
      if (isBehind) high = middle
      else low = middle + 1
    }
    return low
  }
  const isLine = (row: Element | undefined): row is HTMLElement => row?.closest('table')?.className === 'diff-table'
  const isChanged = (row: Element | undefined): boolean =>
    isLine(row) &&
    (row.classList.contains('added') ||
      row.classList.contains('removed') ||
      row.querySelector(':scope > .added, :scope > .removed') !== null)
  /** Whether a change begins at a row: it is changed, and the row before it in the file is not. */
  const isBegin = (at: number): boolean =>
    isChanged(rows[at]) && !(isChanged(rows[at - 1]) && fileAt(rows[at - 1] ?? null) === fileAt(rows[at] ?? null))
  const isShown = (element: Element): boolean => element.closest('details:not([open])') === null

  const toFile = (step: 1 | -1): boolean => {
    const files = [...root.querySelectorAll<HTMLElement>('.diff-frame')]
    const here = fileAt(place())
    const at = here ? files.indexOf(here) : step > 0 ? -1 : 0
    const file = files[at + step]
    // The head of a file sticks, so its place is that of the whole file.
    return focus(file?.querySelector<HTMLElement>('summary'), 'start', file)
  }
  /** Files whose lines are not there yet are a change each, so that none is passed over. */
  const unloaded = (from: Element | null, to: Element | undefined, step: 1 | -1): HTMLElement | undefined => {
    const between = [...root.querySelectorAll<HTMLElement>('.diff-left a')].filter((link) => {
      if (!isShown(link) || link === from) return false
      const follows = (a: Element, b: Element) =>
        (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
      const [first, second] = step > 0 ? [from, to] : [to, from]
      return (!first || follows(first, link)) && (!second || follows(link, second))
    })
    return between.at(step > 0 ? 0 : -1)
  }
  const toChange = (step: 1 | -1): boolean => {
    const from = place()
    if (!from && step < 0) return false
    let at = rowAfter(from)
    if (from && step > 0 && rows[at]?.contains(from)) at += 1
    if (step < 0) at -= 1
    while (at >= 0 && at < rows.length && !(isBegin(at) && isShown(rows[at] as Element))) at += step
    const waiting = unloaded(from, rows[at], step)
    if (waiting) return focus(waiting, 'center')
    if (!rows[at]) return false
    focusRow(rows[at])
    return true
  }
  const toThread = (step: 1 | -1): boolean => {
    const threads = [...root.querySelectorAll<HTMLElement>('.thread:not(.is-folded)')]
    const from = place()
    const order = step > 0 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING
    const isThere = (thread: Element) =>
      !from || (!thread.contains(from) && (from.compareDocumentPosition(thread) & order) !== 0)
    const thread = threads.filter(isThere).at(step > 0 ? 0 : -1)
    const folded = thread?.closest('details')
    if (folded) folded.open = true
    if (thread) thread.tabIndex = -1
    return focus(thread, 'center')
  }
  /** Moves by a line, also over what stands between the tables of a file. */
  const toLine = (step: 1 | -1): boolean => {
    const row = place()?.closest('tr')
    if (!row || !isLine(row)) return false
    let at = rowAfter(row) + step
    while (rows[at] && (!isLine(rows[at]) || !isShown(rows[at] as Element))) at += step
    if (!rows[at]) return false
    focusRow(rows[at])
    return true
  }
  /** Extends the marked lines by the next one on the same side of the file. */
  const extend = (step: 1 | -1): boolean => {
    const row = place()?.closest('tr')
    const from = anchor ?? (row ? lineOf(row) : undefined)
    if (!row || !isLine(row) || from === undefined) return false
    const side = sideOf(from)
    let at = rowAfter(row) + step
    while (rows[at] && fileAt(rows[at] as Element) === fileAt(row) && lineOf(rows[at] as Element, side) === undefined) {
      at += step
    }
    const next = rows[at]
    const to = next && fileAt(next) === fileAt(row) ? lineOf(next, side) : undefined
    const marked = to === undefined ? undefined : chooseLines(from, to)
    if (marked === undefined) return false
    focusRow(next)
    anchor = from
    say(`${keys.dataset['marked'] ?? ''} ${marked}`)
    return true
  }
  const comment = (isSuggestion: boolean): boolean => {
    const row = place()?.closest('tr')
    const link = [...(row?.querySelectorAll<HTMLAnchorElement>('a.plus') ?? [])].at(-1)
    if (!link) return false
    if (isSuggestion) {
      if (link.dataset['lineKey']?.startsWith('L')) return false
      showSuggestion()
    }
    link.click()
    return true
  }
  const view = (): boolean => {
    const file = fileAt(place())
    const button = file?.querySelector<HTMLElement>('.viewed-button')
    const summary = file?.querySelector<HTMLElement>('summary')
    if (!button) return false
    focus(summary)
    button.click()
    return true
  }

  /** A file folds when it was marked as viewed, and its head stays in sight. The answer has its button and the progress only. */
  const onSent = (event: Event) => {
    const { success, formSubmission } = (event as CustomEvent<SubmitEnd>).detail
    const submitter = formSubmission.submitter
    const details = submitter?.matches('.viewed-button') ? fileAt(submitter)?.querySelector('details') : null
    if (!success || !details) return
    const isViewed = formSubmission.body.get('viewed') === 'true'
    const focused = document.activeElement
    details.open = !isViewed
    // The focus was on what is hidden or replaced now.
    const isLost = focused === document.body || fileAt(details)?.contains(focused)
    if (isLost) focus(details.querySelector<HTMLElement>('summary'))
    if (isViewed && details.getBoundingClientRect().top < 0) fileAt(details)?.scrollIntoView({ block: 'start' })
  }

  const acts: Readonly<Record<string, () => boolean>> = {
    'next-file': () => toFile(1),
    'previous-file': () => toFile(-1),
    'next-change': () => toChange(1),
    'previous-change': () => toChange(-1),
    'next-thread': () => toThread(1),
    'previous-thread': () => toThread(-1),
    'extend-down': () => extend(1),
    'extend-up': () => extend(-1),
    comment: () => comment(false),
    suggest: () => comment(true),
    viewed: view,
  }
  const onKey = (event: Event) => {
    const button = event.target instanceof HTMLElement ? event.target : undefined
    // Letters choose in an open menu or dialog.
    if (document.activeElement?.closest('details.menu[open], dialog')) return
    if (!acts[button?.dataset['changeAct'] ?? '']?.()) say(button?.dataset['none'])
  }
  const onArrow = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0 || event.ctrlKey || event.altKey || event.metaKey) return
    if (!(event.target instanceof Element) || !event.target.matches('.diff-table a')) return
    if (event.shiftKey ? extend(step) : toLine(step)) event.preventDefault()
  }
  const onFocus = ({ target }: FocusEvent) => {
    if (!(target instanceof Element)) return
    anchor = undefined
    const file = target.closest('turbo-frame')?.id ?? ''
    const row = target.closest('tr')
    const id = row && isLine(row) ? (lineOf(row) ?? file) : file
    // The form of a comment leads back to its line.
    const isOfLine = target.closest('.line-form') !== null && last?.id.startsWith(`${file}-`)
    last = { element: target, id: isOfLine && last ? last.id : id }
  }
  /** The file of the cursor was drawn again: the focus was inside and is gone, unless a form took it. */
  const onDrawn = () => {
    if (last === undefined || last.element?.isConnected || document.activeElement !== document.body) return
    const now = document.getElementById(last.id)
    if (now?.matches('turbo-frame')) focus(now.querySelector<HTMLElement>('summary'))
    else focusRow(now?.closest('tr') ?? undefined)
  }
  onDrawn()
  keys.addEventListener('click', onKey)
  root.addEventListener('keydown', onArrow)
  root.addEventListener('focusin', onFocus)
  root.addEventListener('turbo:frame-load', onDrawn)
  root.addEventListener('turbo:submit-end', onSent)
  return () => {
    kept = last && { page: location.pathname, id: last.id }
    keys.removeEventListener('click', onKey)
    root.removeEventListener('keydown', onArrow)
    root.removeEventListener('focusin', onFocus)
    root.removeEventListener('turbo:frame-load', onDrawn)
    root.removeEventListener('turbo:submit-end', onSent)
  }
}
