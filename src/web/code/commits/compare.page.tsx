import { mayHere } from '../../../access/may-here.ts'
import type { RepoCtx } from '../../../access/context.ts'
import { canRead, inRepo } from '../../../access/repo.requirements.ts'
import { getRefChoice } from '../../../code/branches/ref-choice.service.ts'
import { compareRevisions } from '../../../code/commits/compare.service.ts'
import { readShownDiff } from '../../../code/commits/shown-diff.service.ts'
import { viewCommit, viewCommits } from '../../../code/statuses/commit-view.service.ts'
import { Moved } from '../../../lib/errors.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { page } from '../../shell/page.tsx'
import { pathOf } from '../../ui/paths.ts'
import { repositoryPath, revisionPath } from '../code-paths.ts'
import { CompareView } from './compare.view.tsx'
import { highlightSides } from '../../ui/diff/highlight-sides.ts'
import { diffAddress, diffChoice, diffQuery } from '../../ui/diff/diff-request.ts'
import { messageBody, subjectOf } from '../../../code/commits/message.rules.ts'

/** Commits of a comparison that are listed; the total counts all. */
const maxListed = 100

/** Returns the names on both sides of a comparison. */
function namesOf(ctx: RepoCtx, text: string): { base: string; head: string } {
  const [, base = '', head = ''] = /^(.*?)\.{2,3}(.*)$/s.exec(text) ?? [text, ctx.repo.default_branch, text]
  return { base: base || ctx.repo.default_branch, head: head || ctx.repo.default_branch }
}

/** Leads to the comparison of the default branch, where another branch is chosen. */
export const newComparePage = page({
  path: '/{username}/{reponame}/compare',
  twin: 'repoCompareDiff',
  cost: 'usual',
  requires: [inRepo, canRead('code')],
  async load({ ctx }): Promise<object> {
    const { owner, repo } = ctx
    throw new Moved(303, pathOf(owner.name, repo.name, 'compare', repo.default_branch))
  },
  meta: () => ({ title: '' }),
  view: () => <></>,
})

export const comparePage = page({
  path: '/{username}/{reponame}/compare/{filepath+}',
  twin: 'repoCompareDiff',
  query: diffQuery,
  requires: [inRepo, canRead('code')],
  cost: 'expensive',
  frame: inRepositoryFrame('code'),
  async load({ ctx, params, query }) {
    const { repo, owner, git } = ctx
    const repository = { repo, owner }
    const names = namesOf(ctx, params.filepath)
    const { base, head, commits, total, at } = await compareRevisions(ctx, params.filepath)
    const [sole] = total === 1 ? commits : []
    const choice = diffChoice(query)
    const start = await git.mergeBase(at, base, head)
    const [diff, views, refs] = await Promise.all([
      readShownDiff(ctx, { base: start ?? base, head, at, ...choice }),
      // The message of a single commit becomes the text of a pull request.
      sole ? [await viewCommit(ctx, sole)] : viewCommits(ctx, commits.slice(0, maxListed)),
      getRefChoice(ctx),
    ])
    const isHere = at === repo.git_key
    return {
      repository,
      names,
      refs,
      total,
      views,
      isHere,
      mayOpenPull: mayHere(ctx).change.allowed && ctx.rights.modeOf('pulls') > 0,
      difference: {
        diff,
        ...choice,
        addressOf: diffAddress(repositoryPath(repository, 'compare', `${names.base}...${names.head}`), choice),
        highlighted: await highlightSides(ctx, at, diff),
        fileAt: (side: 'old' | 'new', kind: 'src' | 'raw', path: string) =>
          side === 'new' && !isHere
            ? undefined
            : revisionPath(repository, kind, { kind: 'commit', name: side === 'new' ? head : (start ?? base) }, path),
      },
    }
  },
  meta: ({ repository, names }) => ({
    title: `${names.base}...${names.head} · ${repository.owner.name}/${repository.repo.name}`,
    isUnlisted: true,
    withFurtherStyles: true,
  }),
  messages: ({ views }) => views.flatMap(({ commit }) => [subjectOf(commit.message), messageBody(commit.message)]),
  view: CompareView,
})
