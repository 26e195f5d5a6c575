import type { Ctx, RepoCtx, SignedInRepoCtx } from '../access/context.ts'
import { resolveRepo } from '../access/repo.requirements.ts'
import { checkScopes } from '../access/requirements.ts'
import type { GitKey } from '../lib/ids.ts'
import type { Call, Requirement } from '../http/operation.ts'
import { AccountRefused, Forbidden, Moved, NotFound, Unauthenticated } from '../lib/errors.ts'

/** What git wants: to read, or to write. */
export type GitService = 'git-upload-pack' | 'git-receive-pack'

/** A repository as git addresses it: the code, or the wiki beside it. */
export interface GitCtx extends RepoCtx {
  readonly gitKey: GitKey
  readonly unit: 'code' | 'wiki'
}

export type GitPushCtx = GitCtx & SignedInRepoCtx

/** Repository and part that a name in a git address means: `name`, `name.git`, `name.wiki`, `name.wiki.git`. */
export function readGitName(text: string): { name: string; unit: 'code' | 'wiki' } {
  const bare = text.replace(/\.git$/i, '')
  return /\.wiki$/i.test(bare) ? { name: bare.slice(0, -'.wiki'.length), unit: 'wiki' } : { name: bare, unit: 'code' }
}

/** Git asks the person for a name and a password when it is answered so. */
function challenge(ctx: Ctx, call: Call): Unauthenticated {
  const refused = call.refusedCredential
  if (refused instanceof Forbidden) throw refused
  call.replyHeaders['www-authenticate'] =
    `Basic realm="${ctx.config.instance.appName.replaceAll(/[^\w .-]/g, '')}", charset="UTF-8"`
  return new Unauthenticated(refused?.message ?? 'a sign-in is needed', refused?.code)
}

/**
 * Finds the repository of a git address and whether the caller may use it for this. Reading what is public asks nobody;
 * for all else guests are asked to sign in, whether the repository exists or not; who is signed in and may not read it
 * is told that there is none (contract A2, observed).
 */
export async function resolveForGit(ctx: Ctx, call: Call, service: GitService): Promise<Omit<GitCtx, keyof Ctx>> {
  if (call.refusedCredential instanceof AccountRefused) throw call.refusedCredential
  const { name, unit } = readGitName(String(call.params['reponame']))
  const pushing = service === 'git-receive-pack'
  if (pushing && !ctx.viewer) throw challenge(ctx, call)
  const found = await findForGit(ctx, call, name, pushing)
  if (!ctx.viewer && found.rights.modeOf(unit) === 0) throw challenge(ctx, call)
  if (!found.rights.canRead(unit)) throw new NotFound('the repository does not exist: not found')
  const isOpen = !found.repo.is_private && found.owner.visibility === 'public'
  if (!isOpen || pushing) checkScopes(ctx.viewer, ['repository'], pushing ? 'POST' : 'GET')
  if (pushing) refusePush(found)
  const gitKey = unit === 'code' ? found.repo.git_key : found.repo.wiki_git_key
  if (gitKey === null) throw new NotFound('the wiki has no pages yet: not found')
  if (pushing && !found.rights.canWrite(unit) && unit === 'wiki') throw new Forbidden('you may not write the wiki')
  return { ...found, gitKey, unit }
}

async function findForGit(ctx: Ctx, call: Call, name: string, pushing: boolean): Promise<Omit<RepoCtx, keyof Ctx>> {
  try {
    return await resolveRepo(ctx, String(call.params['username']), name, call)
  } catch (error) {
    if (error instanceof Moved) throw new Moved(301, error.location)
    if (!(error instanceof NotFound)) throw error
    if (!ctx.viewer) throw challenge(ctx, call)
    if (pushing) throw new Forbidden('the repository does not exist, and pushing does not make one')
    throw new NotFound('the repository does not exist: not found')
  }
}

/** What can not be pushed to at all, whoever asks. What one person may not push is refused reference by reference. */
function refusePush({ repo }: Omit<RepoCtx, keyof Ctx>): void {
  if (repo.is_archived) throw new Forbidden('the repository is archived')
  if (repo.is_mirror) throw new Forbidden('the repository is a mirror')
}

const forService = <Added extends GitCtx>(service: GitService): Requirement<object, Added> => ({
  codes: ['git'],
  check: (ctx, call) => {
    checkEnabled(ctx as Ctx)
    return resolveForGit(ctx as Ctx, call, service) as Promise<Added>
  },
})

function checkEnabled(ctx: Ctx): void {
  if (ctx.config.repository.disableHttpGit) throw new Forbidden('git over HTTP is switched off')
}

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
    checkEnabled(ctx as Ctx)
    return resolveForGit(ctx as Ctx, call, named ?? 'git-upload-pack') as Promise<GitCtx>
  },
}
