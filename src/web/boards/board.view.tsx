import type { CardRow } from '../../boards/card.store.ts'
import { Submit } from '../ui/button.tsx'
import { Select } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { IssueIcon } from '../ui/issue-icon.tsx'
import { LabelTag } from '../ui/label.tsx'
import { ButtonLink, Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { pathOf, siteHref, withQuery } from '../ui/paths.ts'
import { Avatar } from '../ui/person.tsx'
import { dateText } from '../ui/time.tsx'
import { TitleText } from '../ui/title-text.tsx'
import { listText } from '../languages/amounts.ts'
import { boardTexts as texts } from '../languages/texts.ts'
import { ColumnHead, columnName, MoreCards } from './column.view.tsx'
import type { ShownColumn, ShownView } from './view-place.ts'

/** The columns of a board beside each other. The script moves cards by pointer and keys. */
export const BoardColumns = (props: ShownView) => {
  const { place, view, columns } = props
  const page = usePage()
  const mayMove = place.mayChange
  const script = mayMove
    ? {
        'data-board': siteHref(page.config, `${place.path}/${view.id}/cards`),
        'data-csrf': page.csrf,
        'data-moved': texts.moved,
        'data-not-moved': texts.notMoved,
        'data-offline': texts.offline,
        'data-signed-out': texts.signedOut,
      }
    : {}
  return (
    <>
      {mayMove ? (
        <>
          <p class="muted small needs-script board-keys">{texts.keys}</p>
          <p class="sr-only" role="status" data-board-status="" />
          <div class="flash problem" role="alert" data-board-problem="" hidden>
            <Icon name="alert" />
            <div />
          </div>
        </>
      ) : null}
      <div class={props.only === undefined ? 'board' : 'board alone'} {...script}>
        {columns.map((column) => (
          <Column of={props} column={column} mayMove={mayMove} />
        ))}
      </div>
    </>
  )
}

const Column = ({
  of,
  column,
  mayMove,
}: {
  readonly of: ShownView
  readonly column: ShownColumn
  readonly mayMove: boolean
}) => (
  <section class="board-column" aria-label={columnName(of, column)} data-column={column.value}>
    <h2 class="column-head">
      <ColumnHead of={of} column={column} />
    </h2>
    <ul class="cards">
      {column.shown.map((card) => (
        <Card of={of} column={column} card={card} mayMove={mayMove} />
      ))}
    </ul>
    <MoreCards of={of} column={column} />
  </section>
)

const mostAvatars = 3

const Card = ({
  of,
  column,
  card,
  mayMove,
}: {
  readonly of: ShownView
  readonly column: ShownColumn
  readonly card: CardRow
  readonly mayMove: boolean
}) => {
  const { board, place, view } = of
  const repository = board.repos.get(card.repo_id)
  if (!repository) return null
  const { owner, repo } = repository
  const { labels, users } = board.around
  const name = place.home.of === 'repository' ? `#${card.index}` : `${owner.name}/${repo.name}#${card.index}`
  const people = (board.around.assignees.get(card.id) ?? []).flatMap((id) => users.get(id) ?? [])
  const shownLabels = (labels.get(card.id) ?? []).filter((label) => label.name !== column.label?.name)
  const isMoving = mayMove && of.moving === card.id
  return (
    <li class="board-card" data-card={card.id} {...(mayMove ? { draggable: true } : {})}>
      <div class="card-head">
        <IssueIcon issue={card} />
        <span class="card-name">{name}</span>
        {mayMove ? (
          <Link
            class="card-move"
            to={`${withQuery(`${place.path}/${view.id}`, { card: card.id })}#moving`}
            aria-label={texts.moveCard(name)}
            title={texts.move}
          >
            <Icon name="kebab-horizontal" />
          </Link>
        ) : null}
      </div>
      <Link class="card-title" to={pathOf(owner.name, repo.name, card.is_pull ? 'pulls' : 'issues', card.index)}>
        <TitleText text={card.title} />
      </Link>
      {shownLabels.length === 0 ? null : (
        <div class="card-labels">
          {shownLabels.map((label) => (
            <LabelTag label={label} />
          ))}
        </div>
      )}
      <CardFacts of={of} card={card} people={people} />
      {isMoving ? <MoveForm of={of} column={column} card={card} /> : null}
    </li>
  )
}

const CardFacts = ({
  of: { view, board },
  card,
  people,
}: {
  readonly of: ShownView
  readonly card: CardRow
  readonly people: readonly Parameters<typeof Avatar>[0]['person'][]
}) => {
  const { nowUnix } = usePage()
  const milestone =
    card.milestone_id === null || view.grouping === 'milestone'
      ? undefined
      : board.around.milestones.get(card.milestone_id)
  const isOverdue = !card.is_closed && card.due_unix > 0 && card.due_unix < nowUnix
  if (people.length === 0 && milestone === undefined && card.due_unix === 0 && card.num_comments === 0) return null
  return (
    <div class="card-facts">
      {milestone ? (
        <span>
          <Icon name="milestone" />
          {milestone.title}
        </span>
      ) : null}
      {card.due_unix > 0 ? (
        <span class={isOverdue ? 'danger-text' : undefined}>
          <Icon name="calendar" />
          {isOverdue ? texts.overdue(dateText(card.due_unix)) : texts.due(dateText(card.due_unix))}
        </span>
      ) : null}
      {card.num_comments > 0 ? (
        <span title={texts.comments(card.num_comments)}>
          <Icon name="comment" />
          {card.num_comments}
        </span>
      ) : null}
      {people.length > 0 ? (
        <span class="avatars" title={listText(people.map(({ name }) => name))}>
          {people.slice(0, mostAvatars).map((person) => (
            <Avatar person={person} size={20} />
          ))}
        </span>
      ) : null}
    </div>
  )
}

/** The form that moves a card without a script. */
const MoveForm = ({
  of,
  column,
  card,
}: {
  readonly of: ShownView
  readonly column: ShownColumn
  readonly card: CardRow
}) => {
  const at = `${of.place.path}/${of.view.id}`
  return (
    <Form
      to={`${at}/move`}
      id="moving"
      class="card-form"
      hidden={{ issue: card.id, from: column.value, card: card.id }}
      label={texts.moveCard(`#${card.index}`)}
    >
      <Select
        name="column"
        id={`column_${card.id}`}
        label={texts.moveTo}
        value={column.value}
        choices={of.board.columns.map((each) => ({ value: each.value, label: columnName(of, each) }))}
      />
      <Select
        name="place"
        id={`place_${card.id}`}
        label={texts.place}
        value="first"
        choices={[
          { value: 'first', label: texts.places.first },
          { value: 'last', label: texts.places.last },
        ]}
      />
      <div class="line">
        <Submit class="small">{texts.doMove}</Submit>
        <ButtonLink kind="quiet" class="small" to={at}>
          {texts.cancel}
        </ButtonLink>
      </div>
    </Form>
  )
}
