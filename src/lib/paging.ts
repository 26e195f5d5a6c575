import type { CursorKey } from './cursor.ts'

/** One page of a list. */
export interface Page {
  /** From 1. */
  readonly number: number
  readonly limit: number
  readonly offset: number
  /** Set when the list is returned whole: the page size for the rows behind `limit`. */
  readonly pageSize?: number
  /** The keys of the row before the page. When set, the page begins there and `offset` only counts. */
  readonly after?: CursorKey
}

/**
 * What limited the answer of a list:
 * - `total`: the list has more rows than the total says; the pages go on.
 * - `rows`: the server looked at a part of the rows; further rows that match are on no page.
 */
export const bounds = ['total', 'rows'] as const
export type Bound = (typeof bounds)[number]

export interface PageLimits {
  /** Default page size (`[api].DEFAULT_PAGING_NUM`). */
  readonly defaultPagingNum: number
  /** Maximum page size (`[api].MAX_RESPONSE_ITEMS`). */
  readonly maxResponseItems: number
}

export interface PageQuery {
  readonly page?: number | undefined
  readonly limit?: number | undefined
}

/** Returns the page that a query requests. Values below 1 count as absent; the limit is capped. */
export function pageOf(query: PageQuery, limits: PageLimits): Page {
  const number = query.page !== undefined && query.page >= 1 ? query.page : 1
  const wanted = query.limit !== undefined && query.limit >= 1 ? query.limit : limits.defaultPagingNum
  const limit = Math.min(wanted, limits.maxResponseItems)
  return { number, limit, offset: (number - 1) * limit }
}

/**
 * Waits for the rows of a page and the total of the list. These come from two statements, and rows may be added or deleted
 * between them: the total is made to agree with the rows that are shown.
 */
export async function rowsAndTotal<Rows extends readonly unknown[]>(
  page: Pick<Page, 'limit' | 'offset'>,
  rows: Promise<Rows>,
  total: Promise<number>,
): Promise<[Rows, number]> {
  const [shown, counted] = await Promise.all([rows, total])
  const covering = totalOf(counted, page, shown.length)
  // A page that is not full ends the list.
  return [shown, shown.length < page.limit ? Math.min(covering, page.offset + shown.length) : covering]
}

/** Maximum number of rows of a list that is returned whole; further rows are on pages. */
const wholeLimit = 1000

/**
 * Returns the page of a list that is answered whole when the query names neither a page nor a limit, or page 0 only. The
 * whole list ends where a largest page ends, so that its `Link` header leads to the page behind it.
 * Source: observed (`misc/paging-whole`); ours: a limit without a page counts, and every list has an end.
 */
export function pageOrWhole(query: PageQuery, limits: PageLimits): Page {
  const wanted = pageIfGiven(query, limits)
  if (wanted) return wanted
  const pageSize = limits.maxResponseItems
  return { number: 1, limit: Math.max(1, Math.floor(wholeLimit / pageSize)) * pageSize, offset: 0, pageSize }
}

/** Returns the page that a query names by a page or a limit; undefined when it names neither. */
export const pageIfGiven = (query: PageQuery, limits: PageLimits): Page | undefined =>
  (query.page !== undefined && query.page >= 1) || (query.limit !== undefined && query.limit >= 1)
    ? pageOf(query, limits)
    : undefined

export interface PageLink {
  readonly rel: 'next' | 'last' | 'first' | 'prev'
  readonly number: number
}

/** Returns the links of an answer whose total is not that of the list: the last page is unknown. */
export function openPageLinks({ number, limit }: Page, shown: number): PageLink[] {
  const next: PageLink[] = shown >= limit ? [{ rel: 'next', number: number + 1 }] : []
  return number > 1 ? [...next, { rel: 'first', number: 1 }, { rel: 'prev', number: number - 1 }] : next
}

/** Returns the relations of the `Link` header in the order of the contract; none for a single page. */
export function pageLinks(page: Page, total: number): PageLink[] {
  const last = Math.max(1, Math.ceil(total / page.limit))
  // A page past the end links like the last one (observed).
  const number = Math.min(page.number, last)
  const links: PageLink[] = []
  if (number < last) links.push({ rel: 'next', number: number + 1 }, { rel: 'last', number: last })
  if (number > 1) links.push({ rel: 'first', number: 1 }, { rel: 'prev', number: number - 1 })
  return links
}

/** Returns a kept total that covers at least the rows of a page, so that a wrong one hides no page that was shown. */
export const totalOf = (kept: number, { offset }: Pick<Page, 'offset'>, shown: number): number =>
  shown === 0 ? Math.max(0, kept) : Math.max(kept, offset + shown)
