import { exploreSignIn, anyone, switchedOn } from '../../access/requirements.ts'
import type { Ctx } from '../../access/context.ts'
import { maxSearchLength } from '../../code/search/code-search.rules.ts'
import { searchCode } from '../../code/search/code-search.service.ts'
import { Moved } from '../../lib/errors.ts'
import { pageOf, type Page } from '../../lib/paging.ts'
import { mayCreateOrgs } from '../../orgs/org.policy.ts'
import { listVisibleOrgs } from '../../orgs/org.service.ts'
import { browseRepos } from '../../repos/lists/browse.service.ts'
import { usersExploreEnabled } from '../../users/subject.requirements.ts'
import { findPeople } from '../../users/user.service.ts'
import { page } from '../shell/page.tsx'
import { ExploreCodeView } from './explore-code.view.tsx'
import { ExploreOrganizationsView, ExploreReposView, ExploreUsersView } from './explore.view.tsx'
import { exploreTexts as texts } from '../languages/texts.ts'
import { integer, text } from '../ui/fields.ts'

const listQuery = {
  q: text,
  sort: text,
  page: integer,
}

const pageFor = (ctx: Ctx, number: number | undefined): Page =>
  pageOf({ page: number, limit: ctx.config.ui.explorePagingNum }, ctx.config.api)

const metaFor = (tab: string, ctx: Ctx) => ({
  title: `${tab} · ${texts.title}`,
  description: texts.description(ctx.config.instance.appName),
})

/** Leads to the repositories. */
export const explore = page({
  path: '/explore',
  twin: null,
  cost: 'usual',
  requires: [anyone],
  load: () => Promise.reject(new Moved(303, '/explore/repos')),
  meta: () => ({ title: texts.title }),
  view: () => <></>,
})

/** Lists the repositories that the viewer may see. */
export const exploreRepos = page({
  path: '/explore/repos',
  twin: 'repoSearch',
  requires: [exploreSignIn],
  cost: 'expensive',
  query: { ...listQuery, language: text, kind: text },
  async load({ ctx, query }) {
    const { q: text, language, kind, sort } = query
    const browsing = { text, language, kind, sort }
    return { browsing, found: await browseRepos(ctx, {}, browsing, pageFor(ctx, query.page)) }
  },
  meta: (_, { ctx }) => metaFor(texts.repositories, ctx),
  view: ExploreReposView,
})

/** Finds a text in the code of the repositories that the viewer may read. */
export const exploreCode = page({
  path: '/explore/code',
  twin: null,
  requires: [exploreSignIn, switchedOn('codeExploreEnabled', (config) => !config.serviceExplore.disableCodePage)],
  cost: 'expensive',
  query: { q: text },
  async load({ ctx, query, call }) {
    const text = (query.q ?? '').trim().slice(0, maxSearchLength)
    return { text, found: text === '' ? undefined : await searchCode(ctx, text, call.signal) }
  },
  meta: (_, { ctx }) => metaFor(texts.code, ctx),
  view: ExploreCodeView,
})

/** Lists the people whom the viewer may see. */
export const exploreUsers = page({
  path: '/explore/users',
  twin: 'userSearch',
  cost: 'usual',
  requires: [exploreSignIn, usersExploreEnabled],
  query: listQuery,
  async load({ ctx, query }) {
    const at = pageFor(ctx, query.page)
    const text = (query.q ?? '').trim()
    const sort = query.sort === 'newest' ? 'newest' : 'alphabetically'
    const { users, total, bound } = await findPeople(ctx, { text, isNewestFirst: sort === 'newest' }, at)
    return {
      accounts: users,
      total,
      page: at,
      hasMore: at.offset + users.length < total || (bound === 'total' && users.length === at.limit),
      text,
      sort,
    }
  },
  meta: (_, { ctx }) => metaFor(texts.users, ctx),
  view: ExploreUsersView,
})

/** Lists the organizations that the viewer may see. */
export const exploreOrganizations = page({
  path: '/explore/organizations',
  twin: 'orgGetAll',
  cost: 'usual',
  requires: [
    exploreSignIn,
    switchedOn('organizationsExploreEnabled', (config) => !config.serviceExplore.disableOrganizationsPage),
  ],
  query: listQuery,
  async load({ ctx, query }) {
    const at = pageFor(ctx, query.page)
    const text = (query.q ?? '').trim()
    const { orgs, total } = await listVisibleOrgs(ctx, at, text)
    return {
      accounts: orgs,
      total,
      page: at,
      hasMore: at.offset + orgs.length < total,
      text,
      mayCreate: ctx.viewer !== undefined && mayCreateOrgs(ctx.config, ctx.viewer.user).allowed,
    }
  },
  meta: (_, { ctx }) => metaFor(texts.organizations, ctx),
  view: ExploreOrganizationsView,
})
