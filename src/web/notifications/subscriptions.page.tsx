import { anyone } from '../../access/requirements.ts'
import { getSubscribedIssues } from '../../issues/lists/personal-list.service.ts'
import { endSubscription } from '../../issues/social/subscription.service.ts'
import type { IssueId } from '../../lib/ids.ts'
import { pageOf } from '../../lib/paging.ts'
import { withOwners } from '../../repos/lists/browse.service.ts'
import { listHeardRepos } from '../../repos/lists/repo-list.service.ts'
import { inSession } from '../shell/browser.requirements.ts'
import { act, page } from '../shell/page.tsx'
import { SubscribedIssuesView, WatchedReposView } from './subscriptions.view.tsx'
import { notificationTexts as texts } from '../languages/texts.ts'
import { integer } from '../ui/fields.ts'

const query = { page: integer }
const id = integer

/** Lists the issues and pull requests that the person subscribed to. */
export const subscribedIssuesPage = page({
  path: '/notifications/subscriptions',
  twin: null,
  cost: 'usual',
  requires: [inSession],
  query,
  load: async ({ ctx, query }) => ({
    found: await getSubscribedIssues(ctx, pageOf({ page: query.page }, ctx.config.api)),
  }),
  meta: () => ({ title: texts.subscriptions.title, isUnlisted: true }),
  view: SubscribedIssuesView,
})

/** Lists the repositories that the person watches or chose another level for. */
export const watchedReposPage = page({
  path: '/notifications/watching',
  twin: 'userCurrentListSubscriptions',
  cost: 'usual',
  requires: [inSession],
  query,
  async load({ ctx, query }) {
    const shown = pageOf({ page: query.page }, ctx.config.api)
    const { repos, total, levels } = await listHeardRepos(ctx, shown)
    return { repos: await withOwners(ctx, repos), levels, total, shown }
  },
  meta: () => ({ title: texts.subscriptions.title, isUnlisted: true }),
  view: WatchedReposView,
})

/** Ends the person's subscription to an issue. */
export const endIssueSubscription = act({
  path: '/notifications/subscriptions/end',
  twin: 'issueDeleteSubscription',
  cost: 'usual',
  requires: [anyone],
  fields: { id },
  async run({ ctx, body }) {
    await endSubscription(ctx, (body.id ?? 0) as IssueId)
    return { to: '/notifications/subscriptions', notice: texts.subscriptions.unsubscribed }
  },
})
