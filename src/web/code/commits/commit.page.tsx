import { mayHere } from '../../../access/may-here.ts'
import { canRead, gitRepo, inRepo } from '../../../access/repo.requirements.ts'
import { getCommit } from '../../../code/commits/named-commit.service.ts'
import { readShownDiff } from '../../../code/commits/shown-diff.service.ts'
import { viewCommit } from '../../../code/statuses/commit-view.service.ts'
import { htmlBytes } from '../../../lib/html-bytes.ts'
import { annotationsIn } from '../../actions/line-annotations.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { page } from '../../shell/page.tsx'
import { messageBody, shortCommit, subjectOf } from '../../../code/commits/message.rules.ts'
import { linkMessage } from '../../../site/render.service.ts'
import { repositoryPath, revisionPath, shortOid } from '../code-paths.ts'
import { CommitPageView } from './commit.view.tsx'
import { highlightSides } from '../../ui/diff/highlight-sides.ts'
import { diffAddress, diffChoice, diffQuery } from '../../ui/diff/diff-request.ts'

export const commitPage = page({
  path: '/{username}/{reponame}/commit/{sha}',
  twin: 'repoGetSingleCommit',
  query: diffQuery,
  requires: [inRepo, gitRepo, canRead('code')],
  cost: 'expensive',
  frame: inRepositoryFrame('code'),
  async load({ ctx, params, query }) {
    const { repo, owner } = ctx
    const repository = { repo, owner }
    const commit = await getCommit(ctx, params.sha)
    const choice = diffChoice(query)
    const [parent] = commit.parents
    const whole = messageBody(commit.message)
    const body = ctx.budget.tryTake('outputBytes', htmlBytes(whole)) ? whole : messageBody(shortCommit(commit).message)
    const [view, title, message, diff] = await Promise.all([
      viewCommit(ctx, commit),
      linkMessage(ctx, subjectOf(commit.message), 'title', ctx),
      linkMessage(ctx, body, 'message', ctx),
      readShownDiff(ctx, { base: parent, head: commit.oid, ...choice }),
    ])
    const annotations = await annotationsIn(ctx, commit.oid, diff)
    return {
      repository,
      view,
      title,
      message,
      annotations,
      replayOn: mayHere(ctx).push('code').allowed ? repo.default_branch : undefined,
      difference: {
        diff,
        ...choice,
        addressOf: diffAddress(repositoryPath(repository, 'commit', commit.oid), choice),
        highlighted: await highlightSides(ctx, repo.git_key, diff),
        fileAt: (side: 'old' | 'new', kind: 'src' | 'raw', path: string) => {
          const name = side === 'new' ? commit.oid : parent
          return name && revisionPath(repository, kind, { kind: 'commit', name }, path)
        },
      },
    }
  },
  meta: ({ repository, view: { commit } }) => ({
    title: `${subjectOf(commit.message)} · ${shortOid(commit.oid)} · ${repository.owner.name}/${repository.repo.name}`,
    canonical: repositoryPath(repository, 'commit', commit.oid),
    isUnlisted: true,
    withFurtherStyles: true,
  }),
  view: CommitPageView,
})
