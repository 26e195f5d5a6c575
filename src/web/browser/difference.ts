/** How two texts differ: the changed lines with those around them, for the editor of files and for drafts. */
import { keptLines } from '../../lib/kept-lines.ts'

/** Unchanged lines that are shown around a change. */
const context = 3

/** Most rows that are shown. */
const maxRows = 3000

/** The lines of a text with their ends. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

interface Row {
  readonly kind: 'kept' | 'added' | 'removed'
  /** Index of the line before, or after, or in both. */
  readonly old?: number
  readonly now?: number
}

/** Returns all rows of a difference. */
function rowsOf(before: readonly string[], after: readonly string[]): readonly Row[] {
  const kept = keptLines(before, after)
  const rows: Row[] = []
  let old = 0
  for (let now = 0; now <= after.length; now++) {
    const until = now === after.length ? before.length : (kept[now] as number)
    if (until < 0) continue
    while (old < until) rows.push({ kind: 'removed', old: old++ })
    let added = now
    while (added > 0 && (kept[added - 1] as number) < 0) added -= 1
    for (; added < now; added++) rows.push({ kind: 'added', now: added })
    if (now < after.length) rows.push({ kind: 'kept', old: old++, now })
  }
  return rows
}

function element(name: string, className: string, text = ''): HTMLElement {
  const made = document.createElement(name)
  made.className = className
  made.textContent = text
  return made
}

/**
 * Shows what differs between two texts.
 * @param panel says in `data-none` that nothing does, and in `data-cut` that not all is shown
 */
export function showDifference(panel: HTMLElement, before: string, after: string): void {
  const lines = { old: linesOf(before), now: linesOf(after) }
  const rows = rowsOf(lines.old, lines.now)
  const changed = rows.flatMap(({ kind }, index) => (kind === 'kept' ? [] : [index]))
  if (changed.length === 0) return panel.replaceChildren(element('p', 'muted', panel.dataset['none']))
  const table = element('table', 'difference')
  const columns = table.appendChild(element('colgroup', ''))
  for (const name of ['num', 'num', '']) columns.append(element('col', name))
  const body = table.appendChild(element('tbody', ''))
  let shown = 0
  let last = -1
  for (const index of changed) {
    const from = Math.max(last + 1, index - context)
    const to = Math.min(rows.length - 1, index + context)
    if (shown > 0 && from > last + 1) {
      const gap = body.appendChild(element('tr', 'gap'))
      gap.append(Object.assign(element('td', '', '⋯'), { colSpan: 3 }))
    }
    for (let at = from; at <= to && shown < maxRows; at++, shown++) {
      const { kind, old, now } = rows[at] as Row
      const text = (now === undefined ? lines.old[old ?? 0] : lines.now[now]) ?? ''
      const row = body.appendChild(element('tr', kind))
      row.append(
        element('td', 'num', old === undefined ? '' : String(old + 1)),
        element('td', 'num', now === undefined ? '' : String(now + 1)),
        element('td', `text${text.endsWith('\n') ? '' : ' no-break'}`, text.replace(/\n$/, '')),
      )
    }
    last = Math.max(last, to)
    if (shown >= maxRows) break
  }
  panel.replaceChildren(table)
  if (shown >= maxRows) panel.append(element('p', 'muted', panel.dataset['cut']))
}
