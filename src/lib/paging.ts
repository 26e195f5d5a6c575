import type { CursorKey } from './cursor.ts'

/** One page of a list: which one, how large, and where it begins. */
export interface Page {
  /** From 1. */
  readonly number: number
  readonly limit: number
  readonly offset: number
  /** Set when the list is answered whole: the size of the pages on which the rows behind `limit` are. */
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
  /** Size of a page when the caller does not say (`[api].DEFAULT_PAGING_NUM`). */
  readonly defaultPagingNum: number
  /** Largest page (`[api].MAX_RESPONSE_ITEMS`). */
  readonly maxResponseItems: number
}

export interface PageQuery {
  readonly page?: number | undefined
  readonly limit?: number | undefined
}

/** The page that a query asks for: page and limit below 1 count as absent, a limit above the largest as the largest. */
export function pageOf(query: PageQuery, limits: PageLimits): Page {
  const number = query.page !== undefined && query.page >= 1 ? query.page : 1
  const asked = query.limit !== undefined && query.limit >= 1 ? query.limit : limits.defaultPagingNum
  const limit = Math.min(asked, limits.maxResponseItems)
  return { number, limit, offset: (number - 1) * limit }
}

/** Most rows of a list that is answered whole; further rows are on pages. */
const wholeLimit = 1000

/**
 * Returns the page of a list that is answered whole when the query names neither a page nor a limit, or page 0 only. The
 * whole list ends where a largest page ends, so that its `Link` header leads to the page behind it.
 * Source: observed (`misc/paging-whole`); ours: a limit without a page counts, and every list has an end.
 */
export function pageOrWhole(query: PageQuery, limits: PageLimits): Page {
  const isPaged = (query.page !== undefined && query.page >= 1) || (query.limit !== undefined && query.limit >= 1)
  if (isPaged) return pageOf(query, limits)
  const pageSize = limits.maxResponseItems
  return { number: 1, limit: Math.max(1, Math.floor(wholeLimit / pageSize)) * pageSize, offset: 0, pageSize }
}

export interface PageLink {
  readonly rel: 'next' | 'last' | 'first' | 'prev'
  readonly number: number
}

/** Returns the links of an answer whose total is not that of the list: the last page is unknown. */
export function openPageLinks({ number, limit }: Page, shown: number): PageLink[] {
  const next: PageLink[] = shown >= limit ? [{ rel: 'next', number: number + 1 }] : []
  return number > 1 ? [...next, { rel: 'first', number: 1 }, { rel: 'prev', number: number - 1 }] : next
}

/** Relations of the `Link` header: page numbers in the order the contract lists them; empty when there is one page. */
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
