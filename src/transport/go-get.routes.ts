import { anyone } from '../access/requirements.ts'
import { operation } from '../http/operation.ts'
import { bytes } from '../http/reply.ts'
import { escapeHtml } from '../markup/html.ts'
import { repoCloneUrl, repoSshUrl, repoWebUrl } from '../repos/repo-url.ts'
import { findGoPlace } from './go-get.service.ts'

/**
 * What `go get` asks any address below a repository for (`?go-get=1`, which the server leads here): where to clone from
 * and where to read. Missing and private repositories are answered alike, so that nobody learns which there are.
 */
export const goGet = operation({
  method: 'GET',
  path: '/-/go-get/{username}/{reponame}',
  base: 'site',
  scope: null,
  requires: [anyone],
  reply: { 200: 'bytes' },
  async run({ ctx, params }) {
    const { place, defaultBranch } = await findGoPlace(ctx, params.username, params.reponame.replace(/\.git$/, ''))
    const web = repoWebUrl(place)
    const name = web.replace(/^https?:\/\//, '')
    const isSsh = ctx.config.repository.goGetCloneUrlProtocol === 'ssh'
    const source = `${web}/src/branch/${defaultBranch}`
    const metas = {
      'go-import': `${name} git ${isSsh ? repoSshUrl(place) : repoCloneUrl(place)}`,
      'go-source': `${name} _ ${source}{/dir} ${source}{/dir}/{file}#L{line}`,
    }
    const lines = Object.entries(metas).map(([key, content]) => `<meta name="${key}" content="${escapeHtml(content)}">`)
    const head = `<head>\n${lines.join('\n')}\n</head>`
    const html = `<!DOCTYPE html>\n<html>\n${head}\n<body>${escapeHtml(name)}</body>\n</html>\n`
    return bytes('text/html; charset=utf-8', html)
  },
})
