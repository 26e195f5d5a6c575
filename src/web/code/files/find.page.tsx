import { canRead, gitRepo, inRepo } from '../../../access/repo.requirements.ts'
import { getRefChoice } from '../../../code/branches/ref-choice.service.ts'
import { findFiles } from '../../../code/contents/find-file.service.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { page } from '../../shell/page.tsx'
import { revisionAt } from '../code-paths.ts'
import { FindView } from './find.view.tsx'
import { codeTexts as texts } from '../../languages/texts.ts'
import { text } from '../../ui/fields.ts'

export const findFilePage = page({
  path: '/{username}/{reponame}/find/{filepath+}',
  twin: null,
  query: { q: text },
  requires: [inRepo, gitRepo, canRead('code')],
  cost: 'expensive',
  frame: inRepositoryFrame('code'),
  async load({ ctx, params, query }) {
    const { revision } = await revisionAt(ctx, 'find', params.filepath)
    const { repo, owner } = ctx
    const q = (query.q ?? '').trim()
    const [found, refs] = await Promise.all([findFiles(ctx, revision.commit, q), getRefChoice(ctx)])
    return { repository: { owner, repo }, revision, refs, q, ...found }
  },
  meta: ({ repository }) => ({
    title: `${texts.findFile} · ${repository.owner.name}/${repository.repo.name}`,
    isUnlisted: true,
  }),
  view: FindView,
})
