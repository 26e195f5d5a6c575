import type { Ctx, RepoCtx, SignedInCtx, SignedInRepoCtx } from '../access/context.ts'
import { switchedOn } from '../access/requirements.ts'
import { movedUrl } from '../http/moved-url.ts'
import { bodyRefusals, textMember, type Call, type Requirement } from '../http/operation.ts'
import { pathText } from '../http/schema.ts'
import { BadRequest, Invalid, Unauthenticated, UnsupportedMediaType } from '../lib/errors.ts'
import { openForLfs } from './lfs-access.service.ts'
import { lfsType } from './lfs-errors.ts'
import type { LfsOperation } from './tickets/ticket.ts'

/** LFS is served here; else its addresses are not there. */
export const lfsOn = switchedOn('lfsEnabled', (config) => config.server.lfsStartServer)

/** The client says that it speaks LFS: its media type stands in `Accept`, with whatever parameters. */
export const speaksLfs: Requirement<Ctx, object> = {
  codes: ['lfsMediaType'],
  refuses: [415],
  check(_ctx, { headers }) {
    const types = (headers.accept as string | undefined)?.split(',').map((range) => range.split(';', 1)[0]?.trim())
    if (!types?.includes(lfsType)) throw new UnsupportedMediaType(`the request must accept ${lfsType}`)
    return {}
  },
}

const repoParams = { username: pathText, reponame: pathText }

type Opened = Omit<RepoCtx, keyof Ctx>
type LfsCall = Call<typeof repoParams>

const open = (ctx: Ctx, call: LfsCall, operation: LfsOperation): Promise<Opened> => {
  const { username, reponame } = call.params
  return openForLfs(ctx, username, reponame, operation, (owner, name) =>
    movedUrl(call, { username: owner, reponame: `${name}.git` }),
  )
}

const aboutLfs = { refuses: [401, 403, 404], params: repoParams }

/** Reading the objects of the repository of the path. */
export const mayDownload: Requirement<Ctx, Opened, typeof repoParams> = {
  ...aboutLfs,
  codes: ['lfsDownload'],
  check: (ctx, call) => open(ctx, call, 'download'),
}

/** Reading the locks of the repository of the path, for which a sign-in is always needed. */
export const maySeeLocks: Requirement<Ctx, Opened & Pick<SignedInCtx, 'viewer'>, typeof repoParams> = {
  ...aboutLfs,
  codes: ['lfsLocks'],
  async check(ctx, call) {
    const { viewer } = ctx
    if (!viewer) throw new Unauthenticated()
    return { ...(await open(ctx, call, 'download')), viewer }
  },
}

/** Sending objects to the repository of the path, and locking its files. */
export const mayUpload: Requirement<Ctx, Opened & Pick<SignedInRepoCtx, 'viewer'>, typeof repoParams> = {
  ...aboutLfs,
  codes: ['lfsUpload'],
  async check(ctx, call) {
    const opened = await open(ctx, call, 'upload')
    if (!ctx.viewer) throw new Unauthenticated()
    return { ...opened, viewer: ctx.viewer }
  },
}

/**
 * What the body of a batch asks for: reading, or, for those who may write, sending. Another operation is 400. The body was
 * read before.
 */
export const mayDoBatch: Requirement<
  Ctx,
  Opened & { readonly uploader: SignedInCtx['viewer'] | undefined },
  typeof repoParams
> = {
  ...aboutLfs,
  refuses: [400, ...aboutLfs.refuses],
  codes: ['lfsDownload|lfsUpload'],
  async check(ctx, call) {
    const wanted = textMember(await call.decodedBody(), 'operation')
    if (wanted !== 'download' && wanted !== 'upload') {
      throw new BadRequest('the operation of a batch is upload or download', 'lfs_operation_unknown')
    }
    return { ...(await open(ctx, call, wanted)), uploader: wanted === 'upload' ? ctx.viewer : undefined }
  },
}

/** The body is read here; what is wrong with it is 400, as LFS clients know it. */
export const lfsBody: Requirement<object, object> = {
  codes: ['lfsBody'],
  refuses: [400, ...bodyRefusals],
  async check(_ctx, call) {
    try {
      await call.decodedBody()
    } catch (error) {
      throw error instanceof Invalid ? new BadRequest(error.message, error.code) : error
    }
    return {}
  },
}
