import type { RepoCtx } from '../access/context.ts'
import { presentIdentity } from '../code/commits/commit.present.ts'
import { withinOutput } from '../code/commits/message.rules.ts'
import type { Commit } from '../git/git.ts'
import { repoWebUrl } from '../repos/repo-url.ts'
import type { WikiCommit, WikiPage, WikiPageMetaData } from './page.schemas.ts'
import type { ListedPage, WholePage } from './page.service.ts'

export const presentWikiCommits = ({ budget }: Pick<RepoCtx, 'budget'>, commits: readonly Commit[]): WikiCommit[] =>
  withinOutput(budget, commits).map(({ oid, author, committer, message }) => ({
    sha: oid,
    author: presentIdentity(author),
    commiter: presentIdentity(committer),
    message,
  }))

export function presentPages(ctx: RepoCtx, pages: readonly ListedPage[]): WikiPageMetaData[] {
  const web = repoWebUrl(ctx)
  return pages.map(({ title, subUrl, lastCommit }) => {
    const [commit = null] = presentWikiCommits(ctx, lastCommit ? [lastCommit] : [])
    return { title, html_url: `${web}/wiki/${subUrl}`, sub_url: subUrl, last_commit: commit }
  })
}

export function presentPage(ctx: RepoCtx, page: WholePage): WikiPage {
  const [listed] = presentPages(ctx, [page])
  return {
    ...(listed as WikiPageMetaData),
    content_base64: page.content.toString('base64'),
    commit_count: page.commitCount,
    sidebar: page.sidebar.toString('base64'),
    footer: page.footer.toString('base64'),
  }
}
