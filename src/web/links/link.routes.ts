import type { RepoCtx } from '../../access/context.ts'
import { canRead, gitRepo, inRepo, issuesOrPullsEnabled, wikiEnabled } from '../../access/repo.requirements.ts'
import { presentCommit, presentComparison } from '../../code/commits/commit.present.ts'
import { Commit, Compare } from '../../code/commits/commit.schemas.ts'
import { compareRevisions } from '../../code/commits/compare.service.ts'
import { getCommit } from '../../code/commits/named-commit.service.ts'
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

/** Parts of a commit that the API includes by default. */
const allParts = { verification: true, files: true }

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

export const webCommit = operation({
  ...link,
  path: '/{username}/{reponame}/commit/{sha}',
  params: { sha: pathText },
  scope: 'repository',
  load: 'expensive',
  requires: [inRepo, gitRepo, canRead('code')],
  reply: { 200: Commit },
  run: async ({ ctx, params }) =>
    ok(await presentCommit(ctx, await getCommit(ctx, params.sha), { stats: 'zero', ...allParts })),
})

/** The address that a push prints for opening a pull request. */
export const webCompare = operation({
  ...link,
  path: '/{username}/{reponame}/compare/{filepath+}',
  params: { filepath: pathText },
  scope: 'repository',
  load: 'expensive',
  requires: [inRepo, canRead('code')],
  reply: { 200: Compare },
  run: async ({ ctx, params }) =>
    ok(await presentComparison(ctx, await compareRevisions(ctx, params.filepath), allParts)),
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
