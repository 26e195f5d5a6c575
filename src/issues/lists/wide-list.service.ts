import type { Ctx } from '../../access/context.ts'
import type { UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { findEverywhere, type SearchFilter } from '../search/search.store.ts'
import type { IssueQuery } from '../search/query.parse.ts'
import { readSearchWords } from '../search/words.parse.ts'
import { allWords, boundsOfQuery, peopleOfQuery, type CountOfState, type FoundKeys } from './query-list.service.ts'

/** The repositories of a list: those of an account, or all, as far as the viewer may read them. */
export interface WideScope {
  readonly ownerId: UserId | undefined
}

/** What a query found in many repositories, and the number of open and closed ones that it would find. */
export interface FoundWide extends FoundKeys {
  readonly open: CountOfState
  readonly closed: CountOfState
}

const nothing: CountOfState = { total: 0 }

/**
 * Returns a page of the issues and pull requests that a query asks for in many repositories, the newest first: `sort:` of the
 * query has no effect.
 */
export async function findKeysWide(ctx: Ctx, scope: WideScope, query: IssueQuery, page: Page): Promise<FoundKeys> {
  const { filter, missing } = await filterOf(ctx, scope, query)
  if (!filter) return { keys: [], total: 0, missing }
  return { ...(await findEverywhere(ctx.db, withState(filter, query.state), page)), missing }
}

/** As `findKeysWide`, with the numbers of both states. */
export async function findWideByQuery(ctx: Ctx, scope: WideScope, query: IssueQuery, page: Page): Promise<FoundWide> {
  const { filter, missing } = await filterOf(ctx, scope, query)
  if (!filter) return { keys: [], total: 0, missing, open: nothing, closed: nothing }
  const countOf = async (state: 'open' | 'closed'): Promise<CountOfState> => {
    const { total, bound } = await findEverywhere(ctx.db, withState(filter, state), { limit: 1, offset: 0 })
    return { total, bound }
  }
  const [found, open, closed] = await Promise.all([
    findEverywhere(ctx.db, withState(filter, query.state), page),
    query.state === 'open' ? undefined : countOf('open'),
    query.state === 'closed' ? undefined : countOf('closed'),
  ])
  const shown = { total: found.total, bound: found.bound }
  return { ...found, missing, open: open ?? shown, closed: closed ?? shown }
}

const withState = (filter: SearchFilter, state: IssueQuery['state']): SearchFilter =>
  state === 'all' ? filter : { ...filter, isClosed: state === 'closed' }

/** Returns the filter of a query; undefined when it names a person who does not exist. */
async function filterOf(
  ctx: Ctx,
  { ownerId }: WideScope,
  query: IssueQuery,
): Promise<{ readonly filter: SearchFilter | undefined; readonly missing: readonly string[] }> {
  const [{ missing, ...people }, words] = await Promise.all([
    peopleOfQuery(ctx, query),
    readSearchWords(allWords(query.words)),
  ])
  if (missing.length > 0) return { filter: undefined, missing }
  return {
    missing,
    filter: {
      scope: { kind: 'visible', viewer: ctx.viewer, ownerId, teamId: undefined },
      isPull: query.kind === undefined ? [false, true] : [query.kind === 'pulls'],
      ...(query.labels.length > 0 ? { allLabelNames: query.labels } : {}),
      ...(query.withoutLabels.length > 0 ? { noneOfLabelNames: query.withoutLabels } : {}),
      ...(query.milestone === undefined ? {} : { milestoneTitles: [query.milestone] }),
      ...people,
      ...boundsOfQuery(query),
      ...(words.length > 0 ? { words } : {}),
    },
  }
}
