/** One page of a list: which one, how large, and where it begins. */
export interface Page {
  /** From 1. */
  readonly number: number
  readonly limit: number
  readonly offset: number
}

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

/** Most rows of a list that is answered whole; further ones are on pages. */
const wholeLimit = 1000

/**
 * The page of a list that is answered whole when neither a page nor a limit is asked for, or page 0 alone.
 * Source: observed (`misc/paging-whole`), but that a limit without a page counts, and that no list is without an end.
 */
export const pageOrWhole = (query: PageQuery, limits: PageLimits): Page =>
  (query.page === undefined || query.page < 1) && (query.limit === undefined || query.limit < 1)
    ? { number: 1, limit: wholeLimit, offset: 0 }
    : pageOf(query, limits)

/** Relations of the `Link` header: page numbers in the order the contract lists them; empty when there is one page. */
export function pageLinks(page: Page, total: number): { rel: 'next' | 'last' | 'first' | 'prev'; number: number }[] {
  const last = Math.max(1, Math.ceil(total / page.limit))
  // A page past the end links like the last one (observed).
  const number = Math.min(page.number, last)
  const links: { rel: 'next' | 'last' | 'first' | 'prev'; number: number }[] = []
  if (number < last) links.push({ rel: 'next', number: number + 1 }, { rel: 'last', number: last })
  if (number > 1) links.push({ rel: 'first', number: 1 }, { rel: 'prev', number: number - 1 })
  return links
}

/** Where a page is read, counted from the end that is nearer. */
export interface NearerEnd {
  /** Read in the opposite order, and turned round afterwards. */
  readonly isFromEnd: boolean
  /** 0: there is nothing on the page. */
  readonly limit: number
  readonly offset: number
}

/** Where to read a page of a list of which it is known how long it is: what is nearer to the end is read from there. */
export function nearerEnd({ limit: size, offset }: Pick<Page, 'limit' | 'offset'>, total: number): NearerEnd {
  const limit = Math.max(0, Math.min(size, total - offset))
  return offset > total / 2
    ? { isFromEnd: true, limit, offset: total - offset - limit }
    : { isFromEnd: false, limit, offset }
}

/**
 * The rows of a page of a list of which it is known how long it is, read from the nearer end.
 * @param read gives so many rows behind so many others, from the end in the opposite order
 */
export async function fromNearerEnd<Row>(
  page: Pick<Page, 'limit' | 'offset'>,
  total: number,
  read: (part: Pick<Page, 'limit' | 'offset'>, isFromEnd: boolean) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const { isFromEnd, limit, offset } = nearerEnd(page, total)
  if (limit === 0) return []
  const rows = await read({ limit, offset }, isFromEnd)
  return isFromEnd ? rows.toReversed() : rows
}
