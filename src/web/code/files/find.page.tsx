import { canRead, gitRepo, inRepo } from '../../../access/repo.requirements.ts'
import { getRefChoice } from '../../../code/branches/ref-choice.service.ts'
import { encodeFileList } from '../../../code/contents/file-list.service.ts'
import { findFiles } from '../../../code/contents/find-file.service.ts'
import { acceptsGzip } from '../../../http/accepts-gzip.ts'
import { matchesEtag } from '../../../http/etag.ts'
import { bytesOf, operation } from '../../../http/operation.ts'
import { bytes, empty } from '../../../http/reply.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { inBrowser } from '../../shell/browser.requirements.ts'
import { page } from '../../shell/page.tsx'
import { revisionAt } from '../code-paths.ts'
import { FindView } from './find.view.tsx'
import { codeTexts as texts } from '../../languages/texts.ts'
import { text } from '../../ui/fields.ts'

/** The page for browsers without scripts; with them, the link to it opens the finder. */
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

/** Answers the finder with the paths of all files of a revision, which browsers keep by the entity tag of the tree. */
export const listFilePaths = operation({
  base: 'site',
  scope: null,
  accepts: ['session'],
  method: 'GET',
  path: '/{username}/{reponame}/find-list/{filepath+}',
  cost: 'expensive',
  requires: [inBrowser, inRepo, gitRepo, canRead('code')],
  reply: { 200: bytesOf('application/json'), 304: 'empty' },
  async run({ ctx, params, call }) {
    const { revision } = await revisionAt(ctx, 'find-list', params.filepath)
    const { etag, content } = await encodeFileList(ctx, revision.commit)
    if (matchesEtag(call.headers['if-none-match'], etag)) return empty(304, { etag })
    const isCompressed = acceptsGzip(call.headers['accept-encoding'])
    return bytes('application/json', await content(isCompressed), {
      headers: { etag, vary: 'Accept-Encoding', ...(isCompressed ? { 'content-encoding': 'gzip' } : {}) },
    })
  },
})
