import { canRead, gitRepo, inRepo } from '../../../access/repo.requirements.ts'
import { getRefChoice } from '../../../code/branches/ref-choice.service.ts'
import { getFile } from '../../../code/contents/file.service.ts'
import { viewCommits } from '../../../code/statuses/commit-view.service.ts'
import { Moved, NotFound } from '../../../lib/errors.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { page } from '../../shell/page.tsx'
import { codeTexts as texts } from '../../languages/texts.ts'
import { BlameView } from './blame.view.tsx'
import { revisionAt, revisionPath } from '../code-paths.ts'
import { mayEditHere } from '../editing.ts'
import { hasPreview, linesOnPage, readLines } from './file-content.ts'
import { entryAt, latestOf } from '../source.ts'
import { subjectOf } from '../../../code/commits/message.rules.ts'

export const blamePage = page({
  path: '/{username}/{reponame}/blame/{filepath+}',
  twin: null,
  requires: [inRepo, canRead('code'), gitRepo],
  cost: 'expensive',
  frame: inRepositoryFrame('code'),
  async load({ ctx, params }) {
    const { git, repo, owner } = ctx
    const repository = { owner, repo }
    const { revision, treePath: path } = await revisionAt(ctx, 'blame', params.filepath)
    const entry = await entryAt(ctx, revision, path)
    if (entry?.type !== 'blob') throw new NotFound(`${path} is not a file`, 'path_not_found')
    const file = await getFile(ctx, entry)
    const { body } = file
    if (body.kind !== 'text') throw new Moved(303, revisionPath(repository, 'src', revision, path))
    const [shown, parts, refs, latest] = await Promise.all([
      readLines(ctx, path, body.text, 1),
      git.blame(repo.git_key, revision.commit, path, { maxLines: linesOnPage }),
      getRefChoice(ctx),
      latestOf(ctx, revision, path),
    ])
    const commits = await git.readCommits(repo.git_key, [...new Set(parts.map(({ commit }) => commit))])
    return {
      repository,
      revision,
      path,
      refs,
      file,
      latest,
      editing: mayEditHere(ctx, revision),
      mayPreview: hasPreview(ctx, entry),
      shown,
      parts,
      views: await viewCommits(ctx, commits),
    }
  },
  meta: ({ repository, path }) => ({
    title: texts.blameTitle(path, `${repository.owner.name}/${repository.repo.name}`),
    isUnlisted: true,
  }),
  messages: ({ views, latest }) => [latest, ...views].map(({ commit }) => subjectOf(commit.message)),
  view: BlameView,
})
