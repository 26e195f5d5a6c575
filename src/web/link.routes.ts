import type { RepoCtx } from '../access/context.ts'
import { canRead, inRepo, issuesOrPullsEnabled, wikiEnabled } from '../access/repo.requirements.ts'
import { operation } from '../http/operation.ts'
import { escapedPathAfter } from '../http/path.ts'
import { redirect } from '../http/reply.ts'
import { pathNumber, pathText } from '../http/schema.ts'
import { getReadableIssue } from '../issues/issue.service.ts'
import { escapePath } from '../lib/escape-url.ts'
import { repoApiUrl, repoWebUrl } from '../repos/repo-url.ts'

/**
 * The addresses that records, mails and the messages of pushes lead to. Until there are pages, each leads on to what the
 * API says of the thing; whether somebody may see it is asked here and there.
 */
const toApi = (ctx: RepoCtx, path: string) => redirect(303, `${new URL(repoApiUrl(ctx)).pathname}/${path}`)

/** An issue and a pull request go by one row of numbers, so each is found under the name of the other, too. */
async function toIssue(ctx: RepoCtx, index: number, asked: 'issues' | 'pulls') {
  const issue = await getReadableIssue(ctx, index)
  const kind = issue.is_pull ? 'pulls' : 'issues'
  return kind === asked
    ? toApi(ctx, `${kind}/${index}`)
    : redirect(303, `${new URL(repoWebUrl(ctx)).pathname}/${kind}/${index}`)
}

export const webIssue = operation({
  method: 'GET',
  base: 'site',
  path: '/{username}/{reponame}/issues/{index}',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled],
  reply: { 303: 'empty' },
  run: ({ ctx, params }) => toIssue(ctx, params.index, 'issues'),
})

export const webPull = operation({
  method: 'GET',
  base: 'site',
  path: '/{username}/{reponame}/pulls/{index}',
  params: { index: pathNumber },
  scope: 'repository',
  requires: [inRepo, issuesOrPullsEnabled],
  reply: { 303: 'empty' },
  run: ({ ctx, params }) => toIssue(ctx, params.index, 'pulls'),
})

export const webCommit = operation({
  method: 'GET',
  base: 'site',
  path: '/{username}/{reponame}/commit/{sha}',
  params: { sha: pathText },
  scope: 'repository',
  requires: [inRepo, canRead('code')],
  reply: { 303: 'empty' },
  run: async ({ ctx, params }) => toApi(ctx, `git/commits/${encodeURIComponent(params.sha)}`),
})

/** What a push is told: where a pull request of its branch would be made. */
export const webCompare = operation({
  method: 'GET',
  base: 'site',
  path: '/{username}/{reponame}/compare/{filepath+}',
  params: { filepath: pathText },
  scope: 'repository',
  requires: [inRepo, canRead('code')],
  reply: { 303: 'empty' },
  run: async ({ ctx, params }) => toApi(ctx, `compare/${escapePath(params.filepath)}`),
})

export const webWikiPage = operation({
  method: 'GET',
  base: 'site',
  path: '/{username}/{reponame}/wiki/{pageName+}',
  params: { pageName: pathText },
  scope: 'repository',
  requires: [inRepo, wikiEnabled],
  reply: { 303: 'empty' },
  run: async ({ ctx, call }) => toApi(ctx, `wiki/page/${escapedPathAfter(call, 4)}`),
})
