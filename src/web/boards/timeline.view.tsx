import type { CardRow } from '../../boards/card.store.ts'
import { formatUnix, type Unix } from '../../lib/time.ts'
import { IssueIcon } from '../ui/issue-icon.tsx'
import { Link } from '../ui/link.tsx'
import { Box, Empty } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { dateText, monthText } from '../ui/time.tsx'
import { TitleText } from '../ui/title-text.tsx'
import { usePage } from '../ui/page-context.ts'
import { boardTexts as texts } from '../languages/texts.ts'
import { ColumnTitle, MoreCards } from './column.view.tsx'
import { monthsOn, placeOn, scaleOf, type Span, type TimeScale } from './timeline.rules.ts'
import type { ShownView } from './view-place.ts'

/** From the creation to the closing, or else to the due date. */
const spanOf = (card: CardRow): Span => ({
  from: card.created_unix,
  to: card.is_closed ? card.closed_unix : card.listed_due_unix > 0 ? card.listed_due_unix : undefined,
})

/** The issues of a view along time. */
export const Timeline = (props: ShownView) => {
  const { columns } = props
  const { nowUnix } = usePage()
  const filled = columns.filter(({ cards }) => cards.length > 0)
  if (filled.length === 0) {
    return (
      <Box>
        <Empty icon="search" title={texts.noCards} />
      </Box>
    )
  }
  const scale = scaleOf(
    filled.flatMap(({ shown }) => shown.map(spanOf)),
    nowUnix,
  )
  return (
    <div class="stack timeline-view">
      {filled.map((column) => (
        <ColumnTitle of={props} column={column}>
          <div class="timeline-months" aria-hidden="true">
            {monthsOn(scale).map((unix) => (
              <span>{monthText(unix)}</span>
            ))}
          </div>
          <ul class="rows hoverable" data-rows="">
            {column.shown.map((card) => (
              <TimelineRow of={props} card={card} scale={scale} nowUnix={nowUnix} />
            ))}
          </ul>
          <MoreCards of={props} column={column} />
        </ColumnTitle>
      ))}
    </div>
  )
}

const TimelineRow = ({
  of: { board, place },
  card,
  scale,
  nowUnix,
}: {
  readonly of: ShownView
  readonly card: CardRow
  readonly scale: TimeScale
  readonly nowUnix: Unix
}) => {
  const repository = board.repos.get(card.repo_id)
  if (!repository) return null
  const { owner, repo } = repository
  const { from, to } = spanOf(card)
  const [left, right, today] = [from, to ?? nowUnix, nowUnix].map((unix) => placeOn(scale, unix)) as [
    number,
    number,
    number,
  ]
  const isLate = !card.is_closed && to !== undefined && to < nowUnix
  const tone = card.is_closed ? 'done' : isLate ? 'late' : to === undefined ? 'open' : 'planned'
  const span = to === undefined ? texts.openEnd(dateText(from)) : texts.span(dateText(from), dateText(to))
  return (
    <li class="row timeline-row">
      <IssueIcon issue={card} />
      <div class="row-main">
        <Link
          class="row-title"
          to={pathOf(owner.name, repo.name, card.is_pull ? 'pulls' : 'issues', card.index)}
          data-row-link=""
        >
          <TitleText text={card.title} />
        </Link>
        <div class="row-facts">
          <span>
            {place.home.of === 'repository' ? '' : `${owner.name}/${repo.name}`}#{card.index}
          </span>
          <time datetime={formatUnix(from).slice(0, 10)}>{span}</time>
        </div>
      </div>
      <svg class="timeline-bar" viewBox={`0 0 ${scale.months * 100} 20`} preserveAspectRatio="none" aria-hidden="true">
        <rect class={tone} x={Math.min(left, right)} y="5" width={Math.max(6, Math.abs(right - left))} height="10" />
        <rect class="today" x={today} y="0" width="2" height="20" />
      </svg>
    </li>
  )
}
