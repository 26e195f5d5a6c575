import {
  viewGroupings,
  viewLayouts,
  type SavedViewRow,
  type ViewGrouping,
  type ViewLayout,
} from '../db/tables/boards.ts'
import { parseIssueQuery, writeIssueQuery } from '../issues/search/query.parse.ts'
import { Invalid } from '../lib/errors.ts'
import { trimTrailing } from '../lib/trim-ends.ts'

/** Most views of a repository, an organization or a person. */
export const viewsAtMost = 100
/** Most matches of a query that a view sorts into its columns: the first ones of the query's order. */
export const cardsAtMost = 1000
/** Most columns of a view. */
export const columnsAtMost = 50

const longestTitle = 255
const longestDescription = 1000
/** Longest query, which is that of the issue lists. */
const longestQuery = 1000
/** Longest scope of labels, and longest value of a column. */
const longestValue = 255

/** The settings of a view, as somebody gave them. Absent ones keep their value, or have their usual one. */
export interface SavedViewInput {
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly query?: string | undefined
  readonly layout?: string | undefined
  readonly grouping?: string | undefined
  readonly labelScope?: string | undefined
  /** Values of columns that come first. */
  readonly columns?: readonly string[] | undefined
}

/** The settings of a view, as columns of its row. */
export type SavedViewSettings = Pick<
  SavedViewRow,
  'title' | 'description' | 'query' | 'layout' | 'grouping' | 'label_scope' | 'column_order'
>

const usual: SavedViewSettings = {
  title: '',
  description: '',
  query: '',
  layout: 'board',
  grouping: 'milestone',
  label_scope: '',
  column_order: '[]',
}

const invalid = (field: string, problem: string, code: string): Invalid =>
  new Invalid(`[${field}]: ${problem}`, code, { field })

function upTo(text: string, limit: number, field: string): string {
  if (text.length > limit) throw invalid(field, `is longer than ${limit} characters`, 'view_too_long')
  return text
}

/**
 * Returns the settings of a view with a change applied. The query is stored in its usual form.
 * @param before undefined for a new view
 * @throws Invalid for a value that is unknown or too long, for a query with parts that no list obeys, for a board without
 *   columns, and for columns of labels without a scope
 */
export function settingsOf(input: SavedViewInput, before: SavedViewSettings = usual): SavedViewSettings {
  const title = upTo((input.title ?? before.title).trim(), longestTitle, 'title')
  if (title === '') throw invalid('title', 'is empty', 'view_title_empty')
  const layout = oneOf<ViewLayout>(viewLayouts, input.layout ?? before.layout, 'layout')
  const grouping = oneOf<ViewGrouping>(viewGroupings, input.grouping ?? before.grouping, 'grouping')
  if (layout === 'board' && grouping === 'none') {
    throw invalid('grouping', 'a board needs columns; choose what they are values of', 'view_grouping_missing')
  }
  return {
    title,
    description: upTo((input.description ?? before.description).trim(), longestDescription, 'description'),
    query: checkedQuery(input.query ?? before.query),
    layout,
    grouping,
    label_scope: grouping === 'label' ? checkedScope(input.labelScope ?? before.label_scope) : '',
    column_order: input.columns === undefined ? before.column_order : JSON.stringify(checkedColumns(input.columns)),
  }
}

function oneOf<Value extends string>(values: readonly Value[], text: string, field: string): Value {
  const value = values.find((each) => each === text)
  if (value === undefined) throw invalid(field, `must be one of ${values.join(', ')}`, 'view_value_unknown')
  return value
}

function checkedQuery(text: string): string {
  const { unknown, unclosed, ...query } = parseIssueQuery(upTo(text, longestQuery, 'query'))
  const [wrong] = [...unclosed, ...unknown]
  if (wrong !== undefined) throw invalid('query', `“${wrong}” is not understood`, 'view_query_invalid')
  return upTo(writeIssueQuery({ ...query, unknown, unclosed }), longestQuery, 'query')
}

function checkedScope(text: string): string {
  const scope = upTo(trimTrailing(text.trim(), '/'), longestValue, 'label_scope')
  if (scope === '' || scope.startsWith('/')) {
    throw invalid('label_scope', 'name the scope of the labels, such as status for status/…', 'view_scope_missing')
  }
  return scope
}

function checkedColumns(columns: readonly string[]): readonly string[] {
  const values = [...new Set(columns.map((each) => upTo(each.trim(), longestValue, 'columns')))]
  if (values.length > columnsAtMost) throw invalid('columns', `names more than ${columnsAtMost}`, 'view_too_long')
  return values
}

/** Returns the values of columns that come first in a view. */
export const columnOrderOf = (view: Pick<SavedViewRow, 'column_order'>): readonly string[] =>
  JSON.parse(view.column_order) as string[]

/** Returns values in the order of a view: those that it names, then the others in the given order. */
export function inColumnOrder(view: Pick<SavedViewRow, 'column_order'>, values: Iterable<string>): readonly string[] {
  const rest = new Set(values)
  const first = columnOrderOf(view).filter((value) => rest.delete(value))
  return [...first, ...rest]
}
