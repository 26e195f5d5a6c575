import { inRepo, wikiEnabled } from '../../access/repo.requirements.ts'
import { subjectOf } from '../../code/commits/message.rules.ts'
import { readShownDiff } from '../../code/commits/shown-diff.service.ts'
import { getWikiCommit } from '../../wiki/page.service.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { page } from '../shell/page.tsx'
import { diffAddress, diffChoice, diffQuery } from '../ui/diff/diff-request.ts'
import { highlightSides } from '../ui/diff/highlight-sides.ts'
import { pathOf } from '../ui/paths.ts'
import { wikiTexts as texts } from '../languages/texts.ts'
import { WikiCommitView } from './wiki-commit.view.tsx'

/** What a commit changed in the wiki. */
export const wikiCommitPage = page({
  path: '/{username}/{reponame}/wiki/commit/{sha}',
  twin: null,
  query: diffQuery,
  requires: [inRepo, wikiEnabled],
  cost: 'expensive',
  frame: inRepositoryFrame('wiki'),
  async load({ ctx, params, query }) {
    const { gitKey, commit } = await getWikiCommit(ctx, params.sha)
    const choice = diffChoice(query)
    const diff = await readShownDiff(ctx, { at: gitKey, base: commit.parents[0], head: commit.oid, ...choice })
    const wiki = pathOf(ctx.owner.name, ctx.repo.name, 'wiki')
    return {
      commit,
      pages: `${wiki}/_pages`,
      difference: {
        diff,
        ...choice,
        addressOf: diffAddress(`${wiki}/commit/${commit.oid}`, choice),
        highlighted: await highlightSides(ctx, gitKey, diff),
      },
    }
  },
  meta: ({ commit }, { ctx }) => ({
    title: texts.title(subjectOf(commit.message), `${ctx.owner.name}/${ctx.repo.name}`),
    isUnlisted: true,
    withFurtherStyles: true,
  }),
  view: WikiCommitView,
})
