import { Type } from 'typebox'
import { resolveVisibleAccount } from '../../access/named-account.ts'
import { inRepo, issuesOrPullsEnabled } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { created, empty, ok, paged } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import { pageOrWhole } from '../../lib/paging.ts'
import { formatUnix } from '../../lib/time.ts'
import { repoApiUrl } from '../../repos/repo-url.ts'
import { User } from '../../users/user.schemas.ts'
import { issueApiUrl } from '../repo-with-owner.ts'
import { presentUsers } from '../issue.present.ts'
import { IssueWatchInfo } from '../issue.schemas.ts'
import { getReadableIssue } from '../issue.service.ts'
import { getSubscribers, isSubscribed, noSubscriber, setSubscription } from './subscription.service.ts'

export const issueSubscriptions = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issues/{index}/subscriptions',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled],
  query: pageQuery,
  reply: { 200: Type.Array(User) },
  summary: 'List the accounts that asked to hear of an issue',
  async run({ ctx, params, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { users, total, bound } = await getSubscribers(ctx, await getReadableIssue(ctx, params.index), page)
    return paged(presentUsers(ctx, users), page, total, { link: false, bound })
  },
})

export const issueCheckSubscription = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issues/{index}/subscriptions/check',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn],
  reply: { 200: IssueWatchInfo },
  summary: 'Tell whether the caller hears of an issue',
  async run({ ctx, params }) {
    const issue = await getReadableIssue(ctx, params.index)
    const subscribed = await isSubscribed(ctx, issue, ctx.viewer.id)
    return ok({
      subscribed,
      ignored: !subscribed,
      reason: null,
      created_at: formatUnix(issue.created_unix),
      url: `${issueApiUrl(ctx, issue)}/subscriptions`,
      repository_url: repoApiUrl(ctx),
    })
  },
})

export const issueAddSubscription = operation({
  method: 'PUT',
  path: '/repos/{username}/{reponame}/issues/{index}/subscriptions/{user}',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn],
  reply: { 200: 'empty', 201: 'empty' },
  summary: 'Have an account hear of an issue',
  async run({ ctx, params, call }) {
    const issue = await getReadableIssue(ctx, params.index)
    const parameter = { parameter: 'user', name: params.user, missing: noSubscriber }
    const user = await resolveVisibleAccount(ctx, call, parameter)
    return (await setSubscription(ctx, issue, user, true)) ? created(undefined) : empty(200)
  },
})

export const issueDeleteSubscription = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/issues/{index}/subscriptions/{user}',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn],
  reply: { 200: 'empty', 201: 'empty' },
  summary: 'Have an account no longer hear of an issue',
  async run({ ctx, params, call }) {
    const issue = await getReadableIssue(ctx, params.index)
    const parameter = { parameter: 'user', name: params.user, missing: noSubscriber }
    const user = await resolveVisibleAccount(ctx, call, parameter)
    return (await setSubscription(ctx, issue, user, false)) ? created(undefined) : empty(200)
  },
})
