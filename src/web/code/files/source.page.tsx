import type { RepoCtx } from '../../../access/context.ts'
import { canRead, inRepo } from '../../../access/repo.requirements.ts'
import { getRefChoice } from '../../../code/branches/ref-choice.service.ts'
import { getFile } from '../../../code/contents/file.service.ts'
import { readSubmodules, submodulePage } from '../../../code/contents/submodules.ts'
import { repoWebUrl } from '../../../repos/repo-url.ts'
import { enumeration } from '../../../http/schema.ts'
import { Type } from 'typebox'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import type { BrowserCtx } from '../../shell/browser-context.ts'
import { page } from '../../shell/page.tsx'
import { crumbsOf, revisionAt, revisionPath } from '../code-paths.ts'
import { entryAt, latestOf, readFolder, shownSubjects } from '../source.ts'
import { problemOfFile } from './file-problem.ts'
import { readSource } from './file-content.ts'
import { readReadme } from '../home/readme.ts'
import { SourceView, type SourceProps } from './source.view.tsx'
import { mayEditHere } from '../editing.ts'
import { integer } from '../../ui/fields.ts'

interface SourceQuery {
  readonly display?: string | undefined
  readonly page?: number | undefined
}

async function loadSource(ctx: RepoCtx & BrowserCtx, rest: string, query: SourceQuery): Promise<SourceProps> {
  const { revision, treePath: path } = await revisionAt(ctx, 'src', rest)
  const { owner, repo } = ctx
  const entry = await entryAt(ctx, revision, path)
  const refs = await getRefChoice(ctx)
  const shared = { repository: { owner, repo }, revision, path, refs, editing: mayEditHere(ctx, revision) }
  if (!entry || entry.type === 'tree') {
    const read = await readFolder(ctx, revision, { path, tree: entry?.oid ?? revision.commit })
    const readme = await readReadme(ctx, revision, { isRoot: path === '', entries: read.folder.entries })
    return { ...shared, shown: { kind: 'folder', ...read, readme } }
  }
  const latest = await latestOf(ctx, revision, path)
  if (entry.type === 'commit') {
    const url = (await readSubmodules(ctx.git, repo.git_key, revision.commit)).get(path)
    const pages = submodulePage(url ?? '', repoWebUrl(ctx))
    return { ...shared, shown: { kind: 'submodule', latest, oid: entry.oid, url, pages } }
  }
  const file = await getFile(ctx, entry)
  const content = await readSource(ctx, revision, file, query)
  return { ...shared, shown: { kind: 'file', latest, file, content, problem: await problemOfFile(file) } }
}

export const sourcePage = page({
  path: '/{username}/{reponame}/src/{filepath+}',
  twin: 'repoGetContents',
  query: { display: Type.Optional(enumeration('source', 'rendered')), page: integer },
  requires: [inRepo, canRead('code')],
  cost: 'expensive',
  frame: inRepositoryFrame('code'),
  load: ({ ctx, params, query }) => loadSource(ctx, params.filepath, query),
  meta: ({ repository, revision, path, shown }) => {
    const name = crumbsOf(path).at(-1)?.name ?? revision.name
    return {
      title: `${path === '' ? name : path} · ${repository.owner.name}/${repository.repo.name}`,
      canonical: revisionPath(repository, 'src', revision, path),
      isUnlisted: revision.kind === 'commit',
      withFurtherStyles: shown.kind === 'file' && shown.content.kind === 'notebook',
    }
  },
  messages: ({ shown }) => shownSubjects(shown),
  view: SourceView,
})
