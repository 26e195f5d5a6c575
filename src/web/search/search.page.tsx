import type { Ctx } from '../../access/context.ts'
import { exploreSignIn } from '../../access/requirements.ts'
import { searchEverywhere } from '../../issues/lists/list.service.ts'
import { loadListedIssues } from '../../issues/lists/listed-issue.service.ts'
import { pageOf, type Page } from '../../lib/paging.ts'
import { browseRepos } from '../../repos/lists/browse.service.ts'
import { findPeople } from '../../users/user.service.ts'
import { page } from '../shell/page.tsx'
import { SearchView, type SearchKind, type SearchResults } from './search.view.tsx'
import { searchTexts as texts } from '../languages/texts.ts'
import { integer, text } from '../ui/fields.ts'

const kindOf = (text: string | undefined, ctx: Ctx): SearchKind => {
  if (text === 'issues' || text === 'pulls') return text
  return text === 'users' && !ctx.config.serviceExplore.disableUsersPage ? text : 'repositories'
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
    const kind = kindOf(query.type, ctx)
    const at = pageOf({ page: query.page, limit: ctx.config.ui.repoSearchPagingNum }, ctx.config.api)
    return { text, kind, page: at, results: text === '' ? undefined : await findAll(ctx, kind, text, at) }
  },
  meta: ({ text }) => ({ title: text === '' ? texts.title : texts.titleFor(text), isUnlisted: true }),
  view: SearchView,
})
