import type { Ctx } from '../../access/context.ts'
import { exploreSignIn } from '../../access/requirements.ts'
import { searchEverywhere } from '../../issues/lists/list.service.ts'
import { loadListedIssues } from '../../issues/lists/listed-issue.service.ts'
import { pageOf, type Page } from '../../lib/paging.ts'
import { browseRepos } from '../../repos/lists/browse.service.ts'
import { findPeople } from '../../users/user.service.ts'
import { page } from '../shell/page.tsx'
import {
  searchKinds,
  SearchView,
  type FoundKinds,
  type KindCount,
  type SearchKind,
  type SearchResults,
} from './search.view.tsx'
import { searchTexts as texts } from '../languages/texts.ts'
import { integer, text } from '../ui/fields.ts'

/** Returns the kinds that the instance shows, in the order in which the first one with results is opened. */
const kindsOf = ({ config }: Ctx): readonly SearchKind[] =>
  searchKinds.filter((kind) => kind !== 'users' || !config.serviceExplore.disableUsersPage)

const oneRow: Page = { number: 1, limit: 1, offset: 0 }

/** Returns how many results a kind has, without loading what its list shows. */
async function countKind(ctx: Ctx, kind: SearchKind, text: string): Promise<KindCount> {
  const { total, bound } =
    kind === 'users'
      ? await findPeople(ctx, { text }, oneRow)
      : kind === 'repositories'
        ? await browseRepos(ctx, {}, { text }, oneRow)
        : await searchEverywhere(ctx, { q: text, type: kind, state: 'all', page: 1, limit: 1 })
  return { kind, total, isBounded: bound !== undefined }
}

/** Finds the results of the chosen kind, or else of the first one that has some, and counts those of the others. */
async function searchAll(ctx: Ctx, chosen: SearchKind | undefined, text: string, at: Page): Promise<FoundKinds> {
  const kinds = kindsOf(ctx)
  if (chosen !== undefined) {
    const [results, ...others] = await Promise.all([
      findAll(ctx, chosen, text, at),
      ...kinds.filter((kind) => kind !== chosen).map((kind) => countKind(ctx, kind, text)),
    ])
    return { results, counts: kinds.map((kind) => others.find((each) => each.kind === kind) ?? results) }
  }
  const counts = await Promise.all(kinds.map((kind) => countKind(ctx, kind, text)))
  const first = counts.find(({ total }) => total > 0)?.kind ?? 'repositories'
  return { results: await findAll(ctx, first, text, at), counts }
}

async function findAll(ctx: Ctx, kind: SearchKind, text: string, at: Page): Promise<SearchResults> {
  if (kind === 'users') {
    const { users, total, bound } = await findPeople(ctx, { text }, at)
    return { kind, people: users, total, isBounded: bound !== undefined, isLast: at.offset + users.length >= total }
  }
  if (kind === 'repositories') {
    const { repos, total, bound } = await browseRepos(ctx, {}, { text, sort: 'moststars' }, at)
    return { kind, repos, total, isBounded: bound !== undefined, isLast: at.offset + repos.length >= total }
  }
  const query = { q: text, type: kind, state: 'all', page: at.number, limit: at.limit }
  const { issues, total, bound } = await searchEverywhere(ctx, query)
  return {
    kind,
    issues: await loadListedIssues(ctx, issues),
    total,
    isBounded: bound !== undefined,
    isLast: issues.length < at.limit || (bound !== 'total' && at.offset + issues.length >= total),
  }
}

/** Finds repositories, issues, pull requests and people. */
export const search = page({
  path: '/search',
  twin: null,
  requires: [exploreSignIn],
  cost: 'expensive',
  query: {
    q: text,
    type: text,
    page: integer,
  },
  async load({ ctx, query }) {
    const text = (query.q ?? '').trim()
    const kinds = kindsOf(ctx)
    const chosen = kinds.find((kind) => kind === query.type)
    const at = pageOf({ page: query.page, limit: ctx.config.ui.repoSearchPagingNum }, ctx.config.api)
    const found = text === '' ? undefined : await searchAll(ctx, chosen, text, at)
    return { text, chosen, kinds, page: at, found }
  },
  meta: ({ text }) => ({ title: text === '' ? texts.title : texts.titleFor(text), isUnlisted: true }),
  view: SearchView,
})
