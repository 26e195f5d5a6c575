import type { RepoCtx } from '../../access/context.ts'
import { inRepo, issuesOrPullsEnabled, wikiEnabled } from '../../access/repo.requirements.ts'
import { browserCredentials, operation } from '../../http/operation.ts'
import { escapedPathAfter } from '../../http/path.ts'
import { ok, redirect } from '../../http/reply.ts'
import { pathNumber, pathText } from '../../http/schema.ts'
import { presentIssue } from '../../issues/issue.present.ts'
import { Issue } from '../../issues/issue.schemas.ts'
import { getReadableIssue } from '../../issues/issue.service.ts'
import { repoWebUrl } from '../../repos/repo-url.ts'
import { parsePageAddress } from '../../wiki/page-name.rules.ts'
import { presentPage } from '../../wiki/page.present.ts'
import { WikiPage } from '../../wiki/page.schemas.ts'
import { getPage } from '../../wiki/page.service.ts'

/**
 * The addresses that records, mails and the messages of pushes name. Until pages exist, each answers with the record of
 * the API. It does not redirect to the API, because the API does not accept the session of a browser.
 */
const link = { method: 'GET', base: 'site', accepts: browserCredentials } as const

const redirectTo = (ctx: RepoCtx, path: string) => redirect(303, `${new URL(repoWebUrl(ctx)).pathname}/${path}`)

/** Issues and pull requests share one sequence of numbers, so each address redirects to the other kind. */
export const webIssue = operation({
  ...link,
  path: '/{username}/{reponame}/issues/{index}',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled],
  reply: { 200: Issue, 303: 'empty' },
  async run({ ctx, params }) {
    const issue = await getReadableIssue(ctx, params.index)
    return issue.is_pull ? redirectTo(ctx, `pulls/${params.index}`) : ok(await presentIssue(ctx, issue, ctx))
  },
})

/** Number of path segments before the page name. */
const wikiSegments = 4

export const webWikiPage = operation({
  ...link,
  path: '/{username}/{reponame}/wiki/{pageName+}',
  params: { pageName: pathText },
  scope: 'repository',
  requires: [inRepo, wikiEnabled],
  reply: { 200: WikiPage },
  run: async ({ ctx, call }) =>
    ok(presentPage(ctx, await getPage(ctx, parsePageAddress(escapedPathAfter(call, wikiSegments))))),
})
