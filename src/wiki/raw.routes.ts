import { inRepo, wikiEnabled } from '../access/repo.requirements.ts'
import { fileReplies, serveFile } from '../http/file-reply.ts'
import { operation } from '../http/operation.ts'
import { getWikiFile } from './raw.service.ts'

/** Returns a file of a wiki, such as an image, or the source of a page. */
export const webWikiFile = operation({
  method: 'GET',
  base: 'site',
  family: 'downloads',
  path: '/{username}/{reponame}/wiki/raw/{filepath+}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, wikiEnabled],
  reply: fileReplies,
  async run({ ctx, params, call }) {
    const { name, oid, content } = await getWikiFile(ctx, params.filepath, call.signal)
    return serveFile(call, { name, content, etag: oid })
  },
})
