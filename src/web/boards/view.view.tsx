import { cardsAtMost } from '../../boards/saved-view.rules.ts'
import { ButtonLink, Link } from '../ui/link.tsx'
import { Box, Empty, Flash, Pages } from '../ui/parts.tsx'
import { usePage } from '../ui/page-context.ts'
import { pathOf, siteHref, withQuery } from '../ui/paths.ts'
import { IssueListRow } from '../issues/row.view.tsx'
import { numberText } from '../languages/amounts.ts'
import { boardTexts as texts, issueTexts } from '../languages/texts.ts'
import { BoardColumns } from './board.view.tsx'
import { ColumnTitle, MoreCards } from './column.view.tsx'
import { Timeline } from './timeline.view.tsx'
import { cardsOfPage, type ShownView } from './view-place.ts'

/** A view with its head, in its layout. */
export const ViewView = (props: ShownView) => {
  const { place, view, columns, only } = props
  const { home } = place
  const { config } = usePage()
  const at = `${place.path}/${view.id}`
  return (
    <div
      class="saved-view"
      {...(props.seen === undefined ? {} : { 'data-live': siteHref(config, `${at}/live?seen=${props.seen}`) })}
    >
      <div class="page-head">
        <div>
          <h1>
            <Link to={place.path} class="muted">
              {texts.title}
            </Link>
            <span class="muted">/</span>
            {view.title}
          </h1>
          {view.description === '' ? null : <p class="lead">{view.description}</p>}
        </div>
        <div class="acts">
          {only !== undefined && view.grouping !== 'none' ? <ButtonLink to={at}>{texts.wholeBoard}</ButtonLink> : null}
          {home.of === 'repository' ? (
            <ButtonLink
              icon="list-unordered"
              to={withQuery(pathOf(home.at.owner.name, home.at.repo.name, 'issues'), { q: view.query || 'is:all' })}
              aria-label={texts.asList}
              title={texts.asList}
            />
          ) : null}
          {place.mayChange ? (
            <ButtonLink to={`${at}/edit`} icon="pencil">
              {texts.edit}
            </ButtonLink>
          ) : null}
        </div>
      </div>
      <Notices {...props} />
      {view.layout === 'board' ? (
        <BoardColumns {...props} />
      ) : view.layout === 'timeline' ? (
        <Timeline {...props} />
      ) : (
        <List {...props} />
      )}
      {only === undefined ? null : (
        <Pages page={only.page} total={columns[0]?.cards.length ?? 0} pageSize={cardsOfPage} />
      )}
    </div>
  )
}

/** What the view does not show, and why. */
const Notices = ({ view, board }: ShownView) => (
  <>
    {board.missing.length > 0 ? <Flash tone="warning">{issueTexts.missing(board.missing)}</Flash> : null}
    {board.isWhole ? null : (
      <Flash tone="info">
        {texts.tooMany(cardsAtMost, board.bound === undefined ? numberText(board.total) : texts.moreThan(board.total))}
      </Flash>
    )}
    {board.furtherColumns > 0 ? <Flash tone="info">{texts.furtherColumns(board.furtherColumns)}</Flash> : null}
    {view.grouping === 'label' && board.columns.every(({ value }) => value === '') ? (
      <Flash tone="info">{texts.noLabels(view.label_scope)}</Flash>
    ) : null}
  </>
)

const List = (props: ShownView) => {
  const { columns, listed, board } = props
  const rows = new Map(listed?.rows.map((row) => [row.id, row]))
  const filled = columns.filter(({ cards }) => cards.length > 0)
  if (filled.length === 0 || listed === undefined) {
    return (
      <Box>
        <Empty icon="search" title={texts.noCards} />
      </Box>
    )
  }
  return (
    <div class="stack">
      {filled.map((column) => (
        <ColumnTitle of={props} column={column}>
          <ul class="rows hoverable" data-rows="">
            {column.shown.map((card) => {
              const [row, repository] = [rows.get(card.id), board.repos.get(card.repo_id)]
              return row && repository ? (
                <IssueListRow
                  row={row}
                  repository={repository}
                  around={listed.around}
                  withRepository={props.place.home.of !== 'repository'}
                />
              ) : null
            })}
          </ul>
          <MoreCards of={props} column={column} />
        </ColumnTitle>
      ))}
    </div>
  )
}
