import type { ComponentChildren } from 'preact'
import { Icon } from '../ui/icon.tsx'
import { ColorDot } from '../ui/label.tsx'
import { Link } from '../ui/link.tsx'
import { Box, Counter } from '../ui/parts.tsx'
import { Avatar } from '../ui/person.tsx'
import { boardTexts as texts } from '../languages/texts.ts'
import type { ShownColumn, ShownView } from './view-place.ts'

/** Returns the name of a column as text. */
export function columnName({ view }: Pick<ShownView, 'view'>, { value }: Pick<ShownColumn, 'value'>): string {
  if (view.grouping === 'state') return texts.stateColumns[value] ?? value
  if (value !== '') return view.grouping === 'label' ? value.slice(view.label_scope.length + 1) : value
  return view.grouping === 'label' ? texts.noneOf(view.label_scope) : texts.none[view.grouping]
}

/** The name of a column with its colour or picture, and the number of its cards. */
export const ColumnHead = ({ of, column }: { readonly of: ShownView; readonly column: ShownColumn }) => (
  <>
    {column.label ? <ColorDot color={column.label.color} /> : null}
    {column.person ? <Avatar person={column.person} size={20} /> : null}
    {of.view.grouping === 'milestone' && column.value !== '' ? <Icon name="milestone" class="muted" /> : null}
    {of.view.grouping === 'state' ? (
      <Icon
        name={column.value === 'closed' ? 'issue-closed' : 'issue-opened'}
        class={column.value === 'closed' ? 'done-text' : 'good-text'}
      />
    ) : null}
    <span class="column-name">{columnName(of, column)}</span>
    <Counter count={column.cards.length} />
  </>
)

/** The link to all cards of a column that shows the first of them. */
export const MoreCards = ({ of, column }: { readonly of: ShownView; readonly column: ShownColumn }) =>
  of.only !== undefined || column.shown.length === column.cards.length ? null : (
    <Link class="more-cards" to={`${of.place.path}/${of.view.id}?column=${encodeURIComponent(column.value)}`}>
      {texts.moreCards(column.cards.length)}
    </Link>
  )

/** The head of a column above a list. */
export const ColumnTitle = ({
  of,
  column,
  children,
}: {
  readonly of: ShownView
  readonly column: ShownColumn
  readonly children: ComponentChildren
}) =>
  of.view.grouping === 'none' ? (
    <Box>{children}</Box>
  ) : (
    <Box
      head={
        <h2 class="column-head">
          <ColumnHead of={of} column={column} />
        </h2>
      }
    >
      {children}
    </Box>
  )
