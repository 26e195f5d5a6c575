import type { ComponentChildren, VNode } from 'preact'
import { Box } from './parts.tsx'

/**
 * A list in a box, with a row for each item.
 * @param none stands for the box of an empty list; the default is nothing
 */
export const RowBox = <Row,>({
  rows,
  none,
  children,
  ...box
}: Omit<Parameters<typeof Box>[0], 'children'> & {
  readonly rows: readonly Row[]
  readonly none?: string | VNode
  readonly children: (row: Row, index: number) => ComponentChildren
}) => {
  if (rows.length === 0) return typeof none === 'string' ? <p class="muted">{none}</p> : (none ?? null)
  return (
    <Box {...box}>
      <ul class="rows">{rows.map(children)}</ul>
    </Box>
  )
}
