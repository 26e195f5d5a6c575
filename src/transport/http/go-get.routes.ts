import type { Ctx } from '../../access/context.ts'
import { anyone } from '../../access/requirements.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes, type StreamReply } from '../../http/reply.ts'
import { escapeHtml } from '../../markup/html.ts'
import { repoCloneUrl, repoSshUrl, repoWebUrl } from '../../repos/repo-url.ts'
import { findGoRepository } from './go-get.service.ts'

/** The query of `go get`; it takes precedence over other routes of the address. */
const query = { 'go-get': '1' }

/** A page whose tags name the clone URL and the source pages. */
async function goPage(ctx: Ctx, username: string, reponame: string): Promise<StreamReply<200>> {
  const { repository, defaultBranch } = await findGoRepository(ctx, username, reponame.replace(/\.git$/, ''))
  const web = repoWebUrl(repository)
  const name = web.replace(/^https?:\/\//, '')
  const isSsh = ctx.config.repository.goGetCloneUrlProtocol === 'ssh'
  const source = `${web}/src/branch/${defaultBranch}`
  const metas = {
    'go-import': `${name} git ${isSsh ? repoSshUrl(repository) : repoCloneUrl(repository)}`,
    'go-source': `${name} _ ${source}{/dir} ${source}{/dir}/{file}#L{line}`,
  }
  const lines = Object.entries(metas).map(([key, content]) => `<meta name="${key}" content="${escapeHtml(content)}">`)
  const head = `<head>\n${lines.join('\n')}\n</head>`
  const html = `<!DOCTYPE html>\n<html>\n${head}\n<body>${escapeHtml(name)}</body>\n</html>\n`
  return bytes('text/html; charset=utf-8', html)
}

/** The repository. Missing and private ones get the same answer, which does not reveal their existence. */
export const goGet = operation({
  method: 'GET',
  path: '/{username}/{reponame}',
  cost: 'usual',
  base: 'site',
  family: 'git',
  whenQuery: query,
  scope: null,
  requires: [anyone],
  reply: { 200: bytesOf('text/html') },
  run: ({ ctx, params }) => goPage(ctx, params.username, params.reponame),
})

/** A package in a folder of the repository. */
export const goGetPackage = operation({
  method: 'GET',
  path: '/{username}/{reponame}/{folder+}',
  cost: 'usual',
  base: 'site',
  family: 'git',
  whenQuery: query,
  scope: null,
  requires: [anyone],
  reply: { 200: bytesOf('text/html') },
  run: ({ ctx, params }) => goPage(ctx, params.username, params.reponame),
})
