import { canRead, gitRepo, inRepo } from '../../../access/repo.requirements.ts'
import { getNamedCommit } from '../../../code/commits/named-commit.service.ts'
import { maxSearchLength, parseCodeQuery } from '../../../code/search/code-search.rules.ts'
import { searchCommit } from '../../../code/search/code-search.service.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { page } from '../../shell/page.tsx'
import { codeSearchTexts as texts } from '../../languages/texts.ts'
import { CodeSearchView } from './code-search.view.tsx'
import { text } from '../../ui/fields.ts'

/** Finds lines in the files of the default branch. */
export const repoCodeSearchPage = page({
  path: '/{username}/{reponame}/search',
  twin: null,
  query: { q: text },
  requires: [inRepo, gitRepo, canRead('code')],
  cost: 'expensive',
  frame: inRepositoryFrame('search'),
  async load({ ctx, query }) {
    const { repo, owner } = ctx
    const typed = (query.q ?? '').trim().slice(0, maxSearchLength)
    const sought = parseCodeQuery(typed)
    const branch = repo.default_branch
    const shared = { repository: { owner, repo }, branch, typed, sought }
    if (sought.text === '') return { ...shared, found: undefined }
    if (repo.is_empty) return { ...shared, found: { files: [], isBounded: false } }
    const { commit } = await getNamedCommit(ctx.git, repo.git_key, branch)
    return { ...shared, found: await searchCommit(ctx, commit, sought) }
  },
  meta: ({ repository }) => ({
    title: `${texts.title} · ${repository.owner.name}/${repository.repo.name}`,
    isUnlisted: true,
  }),
  view: CodeSearchView,
})
