import type { ComponentChildren, VNode } from 'preact'
import { Box } from './parts.tsx'

/**
 * A list in a box, with a row for each item.
 * @param none stands for the box of an empty list; the default is nothing
 * @param empty stands in the box of an empty list
 * @param links whether rows lead to pages: they react to the pointer, and keys move between them
 * @param label names the list for screen readers
 */
export const RowBox = <Row,>({
  rows,
  none,
  empty,
  links = false,
  label,
  children,
  ...box
}: Omit<Parameters<typeof Box>[0], 'children'> & {
  readonly rows: readonly Row[]
  readonly none?: string | VNode
  readonly empty?: VNode
  readonly links?: boolean
  readonly label?: string
  readonly children: (row: Row, index: number) => ComponentChildren
}) => {
  if (rows.length === 0 && empty !== undefined) return <Box {...box}>{empty}</Box>
  if (rows.length === 0) return typeof none === 'string' ? <p class="muted">{none}</p> : (none ?? null)
  return (
    <Box {...box}>
      <ul class={links ? 'rows hoverable' : 'rows'} data-rows={links ? '' : undefined} aria-label={label}>
        {rows.map(children)}
      </ul>
    </Box>
  )
}
