import { anyone } from '../../access/requirements.ts'
import { viewActs } from '../../activity/act-view.present.ts'
import { getNews } from '../../activity/feed.service.ts'
import { findFailingRuns } from '../../actions/runs/failing-run.service.ts'
import type { SignedInCtx } from '../../access/context.ts'
import { searchEverywhere, type SearchQuery } from '../../issues/lists/list.service.ts'
import { loadListedIssues, type ListedIssue } from '../../issues/lists/listed-issue.service.ts'
import { Moved } from '../../lib/errors.ts'
import { getThreads } from '../../notifications/thread.service.ts'
import { reasonOf } from '../../notifications/cause.rules.ts'
import { viewThreads } from '../../notifications/thread-view.present.ts'
import { mayCreateOrgs } from '../../orgs/org.policy.ts'
import { listOrgsOf } from '../../orgs/org.service.ts'
import { getPullMarks } from '../../pulls/merge/pull-marks.service.ts'
import { browseRepos } from '../../repos/lists/browse.service.ts'
import { loadViews } from '../../repos/repo.present.ts'
import { offersSignUp } from '../../users/entry/registration.rules.ts'
import type { BrowserCtx } from '../shell/browser-context.ts'
import { page } from '../shell/page.tsx'
import { HomeView, type Dashboard, type FoundWork, type Welcome } from './home.view.tsx'
import { landingOf } from './landing.rules.ts'
import { homeTexts as texts } from '../languages/texts.ts'

/** Rows of each list of work, of public repositories, and of the list beside them. */
const sizes = { work: 8, mentions: 5, runs: 5, public: 10, own: 30, organizations: 10 }

const firstRows = (limit: number) => ({ number: 1, limit, offset: 0 })

/** What a guest or a member sees first. */
export const home = page({
  path: '/',
  twin: null,
  cost: 'usual',
  requires: [anyone],
  async load({ ctx }) {
    const { viewer, config } = ctx
    if (viewer) return { dashboard: await dashboardOf({ ...ctx, viewer }), welcome: undefined }
    if (config.service.requireSigninView) throw new Moved(303, '/user/login')
    const landing = landingOf(config.server.landingPage)
    if (landing !== '/') throw new Moved(303, landing)
    return { dashboard: undefined, welcome: await welcomeOf(ctx) }
  },
  meta: (_, { ctx }) => ({
    title: ctx.viewer ? texts.title : texts.welcome(ctx.config.instance.appName),
    description: texts.lead,
    canonical: '/',
    ...(ctx.viewer
      ? { feeds: [{ to: `/${ctx.viewer.user.name}.atom`, type: 'atom', title: texts.feed } as const] }
      : {}),
  }),
  view: HomeView,
})

async function welcomeOf(ctx: BrowserCtx): Promise<Welcome> {
  const { config } = ctx
  const mayExplore = !config.serviceExplore.requireSigninView
  const found = mayExplore ? await browseRepos(ctx, {}, {}, firstRows(sizes.public)) : undefined
  return { repos: found?.repos ?? [], offersSignUp: offersSignUp(config), mayExplore }
}

async function workOf(ctx: SignedInCtx, query: SearchQuery): Promise<FoundWork> {
  const { issues, total } = await searchEverywhere(ctx, { state: 'open', limit: sizes.work, ...query })
  return { issues: await loadListedIssues(ctx, issues), total }
}

/** Notifications among which mentions are looked for. */
const searchedThreads = 50

/** The newest unread notifications of texts that mention the viewer. */
async function mentionsOf(ctx: SignedInCtx): Promise<ListedIssue[]> {
  const unread = {
    all: undefined,
    statuses: ['unread'],
    subjects: ['issue', 'pull'],
    since: undefined,
    before: undefined,
  }
  const { rows } = await getThreads(ctx, unread, firstRows(searchedThreads))
  const threads = await viewThreads(
    ctx,
    rows.filter((thread) => reasonOf(thread.cause)?.isMention),
  )
  return threads.flatMap(({ issue, repo, owner }) => (issue ? [{ issue, repo, owner }] : [])).slice(0, sizes.mentions)
}

async function dashboardOf(ctx: SignedInCtx): Promise<Dashboard> {
  const { viewer, config } = ctx
  const [reviews, ownPulls, assigned, mentions, own, organizations, news] = await Promise.all([
    workOf(ctx, { type: 'pulls', review_requested: true }),
    workOf(ctx, { type: 'pulls', created: true }),
    workOf(ctx, { assigned: true }),
    mentionsOf(ctx),
    browseRepos(ctx, { contributedToBy: viewer.id }, { sort: 'recentupdate' }, firstRows(sizes.own)),
    listOrgsOf(ctx, viewer.user, firstRows(sizes.organizations)),
    getNews(ctx, config.ui.feedPagingNum),
  ])
  const [views, acts, marks] = await Promise.all([
    loadViews(
      ctx,
      own.repos.map(({ repo }) => repo),
    ),
    viewActs(ctx, news),
    getPullMarks(
      ctx,
      [...reviews.issues, ...ownPulls.issues, ...assigned.issues].map(({ issue }) => issue),
    ),
  ])
  return {
    reviews,
    ownPulls,
    assigned,
    mentions,
    marks,
    failing: await findFailingRuns(ctx, views, sizes.runs),
    repos: own.repos,
    repoTotal: own.total,
    organizations: organizations.orgs,
    mayCreateOrgs: mayCreateOrgs(config, viewer.user).allowed,
    acts,
  }
}
