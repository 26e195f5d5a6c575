import type { Ctx } from '../../access/context.ts'
import type { ErrorForm } from '../../http/error-forms.ts'
import { textErrors } from '../../http/error-forms.ts'
import type { Call, Requirement } from '../../http/operation.ts'
import { pathText } from '../../http/schema.ts'
import { AccountRefused, Forbidden, Moved, NotFound, Unauthenticated, type Refusal } from '../../lib/errors.ts'
import { readGitAddress } from '../git-address.ts'
import { openForGit, signInNeeded, type GitCtx, type GitPushCtx, type GitService } from '../git-access.service.ts'

/** Refusals for git clients; 401 makes git ask for a name and password. */
export const gitErrors: ErrorForm = {
  render(refusal, call) {
    const reply = textErrors.render(refusal, call)
    if (refusal.status !== 401) return reply
    const realm = call.site.name.replaceAll(/[^\w .-]/g, '')
    return { ...reply, headers: { 'www-authenticate': `Basic realm="${realm}", charset="UTF-8"` } }
  },
}

/**
 * Reports a refused credential. On 401 git asks for another one and helpers forget theirs, so 401 is only for wrong
 * credentials, not for those that were not checked (429, 503).
 */
const asSignIn = (refused: Refusal): Refusal =>
  refused.status === 403 || refused.status === 429 || refused.status >= 500
    ? refused
    : new Unauthenticated(refused.message, refused.code)

const repoParams = { username: pathText, reponame: pathText }

type Opened = Omit<GitCtx, keyof Ctx>
type GitCall = Call<typeof repoParams>

/** Opens the repository of the path. Renamed ones answer 301 to the new address without `.git` (observed). */
async function openOfPath(ctx: Ctx, call: GitCall, service: GitService): Promise<Opened> {
  if (ctx.config.repository.disableHttpGit) {
    throw new Forbidden('git over HTTP is disabled on this server; use SSH', 'git_http_disabled')
  }
  const { refusedCredential } = ctx
  if (refusedCredential instanceof AccountRefused) throw refusedCredential
  const address = readGitAddress(call.params.username, call.params.reponame)
  try {
    return await openForGit(ctx, address, service)
  } catch (error) {
    if (error instanceof Unauthenticated && refusedCredential) throw asSignIn(refusedCredential)
    if (!(error instanceof Moved)) throw error
    const [, , , ...rest] = call.url.split('/')
    throw new Moved(error.status, [error.location + (address.unit === 'wiki' ? '.wiki' : ''), ...rest].join('/'))
  }
}

const aboutGit = { codes: ['git'], refuses: [401, 403, 404], params: repoParams }

/** Allows fetches from the repository of the path. */
export const mayFetch: Requirement<Ctx, Opened, typeof repoParams> = {
  ...aboutGit,
  check: (ctx, call) => openOfPath(ctx, call, 'git-upload-pack'),
}

/** Allows pushes to the repository of the path; references are checked later. */
export const mayPush: Requirement<Ctx, Opened & Pick<GitPushCtx, 'viewer'>, typeof repoParams> = {
  ...aboutGit,
  async check(ctx, call) {
    const opened = await openOfPath(ctx, call, 'git-receive-pack')
    if (!ctx.viewer) throw signInNeeded()
    return { ...opened, viewer: ctx.viewer }
  },
}

/** Allows the service in the query. */
export const mayUseNamedService: Requirement<Ctx, Opened, typeof repoParams> = {
  ...aboutGit,
  check(ctx, call) {
    const named = call.rawQuery.get('service')
    if (named !== null && named !== 'git-upload-pack' && named !== 'git-receive-pack') {
      throw new NotFound(`the service ${named.slice(0, 40)} is not offered`)
    }
    return openOfPath(ctx, call, named ?? 'git-upload-pack')
  },
}
