import type { Ctx } from '../access/context.ts'
import type { Call, Requirement } from '../http/operation.ts'
import { AccountRefused, Forbidden, Moved, NotFound, Unauthenticated } from '../lib/errors.ts'
import { readGitAddress } from './git-address.ts'
import { openForGit, type GitCtx, type GitPushCtx, type GitService } from './git-access.service.ts'

/** Git asks the person for a name and a password when it is answered so. */
function challenge(ctx: Ctx, call: Call, needed: Unauthenticated): Unauthenticated {
  const refused = call.refusedCredential
  if (refused instanceof Forbidden) throw refused
  call.replyHeaders['www-authenticate'] =
    `Basic realm="${ctx.config.instance.appName.replaceAll(/[^\w .-]/g, '')}", charset="UTF-8"`
  return refused ? new Unauthenticated(refused.message, refused.code) : needed
}

/** Opens the repository of the path; renamed ones answer 301 to the new address without `.git` (observed). */
async function openOfPath(ctx: Ctx, call: Call, service: GitService): Promise<Omit<GitCtx, keyof Ctx>> {
  if (ctx.config.repository.disableHttpGit) throw new Forbidden('git over HTTP is switched off')
  if (call.refusedCredential instanceof AccountRefused) throw call.refusedCredential
  const address = readGitAddress(String(call.params['username']), String(call.params['reponame']))
  try {
    return await openForGit(ctx, address, service)
  } catch (error) {
    if (error instanceof Unauthenticated) throw challenge(ctx, call, error)
    if (!(error instanceof Moved)) throw error
    const [, , , ...rest] = call.url.split('/')
    throw new Moved(error.status, [error.location + (address.unit === 'wiki' ? '.wiki' : ''), ...rest].join('/'))
  }
}

const forService = <Added extends GitCtx>(service: GitService): Requirement<object, Added> => ({
  codes: ['git'],
  check: (ctx, call) => openOfPath(ctx as Ctx, call, service) as Promise<Added>,
})

/** Fetching from the repository of the path. */
export const mayFetch = forService<GitCtx>('git-upload-pack')

/** Pushing to the repository of the path; each reference is judged later. */
export const mayPush = forService<GitPushCtx>('git-receive-pack')

/** Whichever of the two the query names. */
export const mayUseNamedService: Requirement<object, GitCtx> = {
  codes: ['git'],
  check(ctx, call) {
    const named = call.rawQuery.get('service')
    if (named !== null && named !== 'git-upload-pack' && named !== 'git-receive-pack') {
      throw new NotFound(`the service ${named.slice(0, 40)} is not offered`)
    }
    return openOfPath(ctx as Ctx, call, named ?? 'git-upload-pack') as Promise<GitCtx>
  },
}
