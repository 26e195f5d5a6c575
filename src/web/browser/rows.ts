import { isField } from './present.ts'

/** The link that stands for a row. */
const mainLink = (row: Element | undefined) =>
  row?.querySelector<HTMLElement>('[data-row-link]') ?? row?.querySelector<HTMLElement>('a[href]')

/** Rows of the list that has the focus, or of the first list. Enter follows the focused link without this script. */
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isField(event.target)) return
  if (!['j', 'k', 'x'].includes(event.key) || document.querySelector('dialog:modal')) return
  const list = document.activeElement?.closest('[data-rows]') ?? document.querySelector('[data-rows]')
  if (!list) return
  const rows = [...list.children].filter((row) => mainLink(row))
  const current = rows.findIndex((row) => row.contains(document.activeElement))
  if (event.key === 'x') {
    rows[current]?.querySelector<HTMLInputElement>('input[type=checkbox]')?.click()
    return
  }
  event.preventDefault()
  const next = event.key === 'j' ? Math.min(current + 1, rows.length - 1) : Math.max(current - 1, 0)
  mainLink(rows[next])?.focus()
  rows[next]?.scrollIntoView({ block: 'nearest' })
})
