import type { Ctx } from '../../access/context.ts'
import type { SavedViewRow } from '../../db/tables/boards.ts'
import { getBoard, type Board, type Column } from '../../boards/board.service.ts'
import type { CardRow } from '../../boards/card.store.ts'
import type { ViewHome } from '../../boards/saved-view.service.ts'
import { loadShown, type ShownIssues } from '../../issues/lists/query-list.service.ts'

/** Whose views a page shows. */
export interface ViewPlace {
  readonly home: ViewHome
  /** Path of the list of views. The other pages are below it. */
  readonly path: string
  /** The name of the repository or organization; empty for a person's own views. */
  readonly name: string
  readonly mayChange: boolean
}

/** A column with the cards of a page of it. */
export interface ShownColumn extends Column {
  readonly shown: readonly CardRow[]
}

/** What the page of a view shows. */
export interface ShownView {
  readonly place: ViewPlace
  readonly view: SavedViewRow
  readonly board: Board
  readonly columns: readonly ShownColumn[]
  /** The column that is shown alone, and its page. */
  readonly only: { readonly value: string; readonly page: number } | undefined
  /** The card whose form is shown. */
  readonly moving: number | undefined
  /** The position of the events before which the view was read; undefined for guests. */
  readonly seen?: number | undefined
  /** The rows of a list, which show more than cards. */
  readonly listed: ShownIssues | undefined
}

/** Cards that a column shows while others stand beside it. Their number decides what the page costs. */
export const cardsOfColumn = 25
/** Cards on a page of a column that is shown alone. */
export const cardsOfPage = 100

/** Loads a view for its page. */
export async function loadView(
  ctx: Ctx,
  place: ViewPlace,
  view: SavedViewRow,
  query: { readonly column?: string; readonly page?: number; readonly card?: number },
): Promise<ShownView> {
  const board = await getBoard(ctx, place.home, view)
  const isAlone = query.column !== undefined || view.grouping === 'none'
  const page = Math.max(1, query.page ?? 1)
  const only = isAlone ? { value: query.column ?? '', page } : undefined
  const chosen = only ? board.columns.filter(({ value }) => value === only.value) : board.columns
  const [from, size] = only ? [(page - 1) * cardsOfPage, cardsOfPage] : [0, cardsOfColumn]
  const columns = chosen.map((column) => ({ ...column, shown: column.cards.slice(from, from + size) }))
  return {
    place,
    view,
    board,
    columns,
    only,
    moving: query.card,
    listed:
      view.layout === 'list'
        ? await loadShown(
            ctx,
            columns.flatMap(({ shown }) => shown),
          )
        : undefined,
  }
}
