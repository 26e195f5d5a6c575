import { findAccountByName, findRepoByName } from '../access/access.store.ts'
import type { Ctx } from '../access/context.ts'
import { accessTo } from '../access/repo-access.ts'
import { anyone } from '../access/requirements.ts'
import { operation } from '../http/operation.ts'
import { bytes } from '../http/reply.ts'
import { escapeSegment } from '../lib/escape-url.ts'
import { escapeHtml } from '../markup/html.ts'
import { repoCloneUrl, repoSshUrl, repoWebUrl, type RepoPlace } from '../repos/repo-url.ts'

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
    const { place, defaultBranch } = await findPlace(ctx, params.username, params.reponame.replace(/\.git$/, ''))
    const web = repoWebUrl(place)
    const name = web.replace(/^https?:\/\//, '')
    const isSsh = ctx.config.repository.goGetCloneUrlProtocol === 'ssh'
    const source = `${web}/src/branch/${defaultBranch}`
    const metas = {
      'go-import': `${name} git ${isSsh ? repoSshUrl(place) : repoCloneUrl(place)}`,
      'go-source': `${name} _ ${source}{/dir} ${source}{/dir}/{file}#L{line}`,
    }
    const lines = Object.entries(metas).map(([key, content]) => `<meta name="${key}" content="${escapeHtml(content)}">`)
    const html = `<!DOCTYPE html>\n<html>\n<head>\n${lines.join('\n')}\n</head>\n<body>${escapeHtml(name)}</body>\n</html>\n`
    return bytes('text/html; charset=utf-8', html)
  },
})

/** The repository as it is called, when the viewer may read it; else as the address says. */
async function findPlace(
  ctx: Ctx,
  ownerName: string,
  repoName: string,
): Promise<{ place: RepoPlace; defaultBranch: string }> {
  const owner = await findAccountByName(ctx.db, ownerName.toLowerCase())
  const repo = owner && (await findRepoByName(ctx.db, owner.id, repoName.toLowerCase()))
  if (repo && (await accessTo(ctx.db, ctx.viewer, owner, repo)).rights.canRead('code')) {
    return { place: { config: ctx.config, owner, repo }, defaultBranch: repo.default_branch }
  }
  const asked = { config: ctx.config, owner: { name: escapeSegment(ownerName) }, repo: { name: escapeSegment(repoName) } }
  return { place: asked, defaultBranch: ctx.config.repository.defaultBranch }
}
