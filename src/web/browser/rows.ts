import { isField } from './present.ts'

/** The link that stands for a row. */
const mainLink = (row: Element | undefined) =>
  row?.querySelector<HTMLElement>('[data-row-link]') ?? row?.querySelector<HTMLElement>('a[href]')

const isTicked = (row: Element): boolean => row.querySelector('input[type=checkbox]:checked') !== null

/** Returns the button for a key: that of the row, or that of the group of lists while rows are ticked. */
function buttonFor(key: string, group: Element, rows: readonly Element[], current: Element | undefined) {
  const buttons = [...group.querySelectorAll<HTMLElement>('[data-row-key]')].filter(
    (each) => each.dataset['rowKey'] === key,
  )
  const isCommon = (button: Element) => !rows.some((row) => row.contains(button))
  return rows.some(isTicked) ? buttons.find(isCommon) : buttons.find((button) => current?.contains(button))
}

/** Rows of the lists that have the focus, or of the first list. Enter follows the focused link without this script. */
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isField(event.target)) return
  if (document.querySelector('dialog:modal')) return
  const list = document.activeElement?.closest('[data-rows]') ?? document.querySelector('[data-rows]')
  if (!list) return
  const group = list.closest('[data-rows-group]') ?? list
  const lists = group === list ? [list] : [...group.querySelectorAll('[data-rows]')]
  const rows = lists.flatMap((each) => [...each.children]).filter((row) => mainLink(row))
  const focused = rows.findIndex((row) => row.contains(document.activeElement))
  // Beside the list may be what a row leads to.
  const current = focused < 0 ? rows.findIndex((row) => row.querySelector('[data-row-link][aria-current]')) : focused
  const move = (to: number) => {
    mainLink(rows[to])?.focus()
    rows[to]?.scrollIntoView({ block: 'nearest' })
  }
  if (event.key === 'x') {
    rows[current]?.querySelector<HTMLInputElement>('input[type=checkbox]')?.click()
    return
  }
  if (event.key === 'j' || event.key === 'k') {
    event.preventDefault()
    move(event.key === 'j' ? Math.min(current + 1, rows.length - 1) : Math.max(current - 1, 0))
    return
  }
  const button = buttonFor(event.key, group, rows, rows[current])
  if (!button) return
  event.preventDefault()
  // The row may leave the list: the next one takes the focus.
  if (current >= 0) move(current + 1 < rows.length ? current + 1 : current - 1)
  button.click()
})
