import type { Ctx, RepoCtx, SignedInCtx, SignedInRepoCtx } from '../access/context.ts'
import { switchedOn } from '../access/requirements.ts'
import { movedUrl } from '../http/moved-url.ts'
import { bodyRefusals, textMember, type Call, type Requirement } from '../http/operation.ts'
import { pathText } from '../http/schema.ts'
import { BadRequest, Invalid, Unauthenticated, UnsupportedMediaType } from '../lib/errors.ts'
import { openForLfs } from './lfs-access.service.ts'
import { lfsType } from './lfs-errors.ts'
import type { LfsOperation } from './tickets/ticket.ts'

/** Requires that LFS is on; otherwise its addresses do not exist. */
export const lfsOn = switchedOn('lfsEnabled', (config) => config.server.lfsStartServer)

/** Requires the media type of LFS in `Accept`, with any parameters. */
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

/** Requires read access to the objects of the repository. */
export const mayDownload: Requirement<Ctx, Opened, typeof repoParams> = {
  ...aboutLfs,
  codes: ['lfsDownload'],
  check: (ctx, call) => open(ctx, call, 'download'),
}

/** Requires read access to the locks of the repository and a signed-in caller. */
export const maySeeLocks: Requirement<Ctx, Opened & Pick<SignedInCtx, 'viewer'>, typeof repoParams> = {
  ...aboutLfs,
  codes: ['lfsLocks'],
  async check(ctx, call) {
    const { viewer } = ctx
    if (!viewer) throw new Unauthenticated()
    return { ...(await open(ctx, call, 'download')), viewer }
  },
}

/** Requires write access to the objects and locks of the repository. */
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
 * Requires read or write access according to the operation in the body of a batch; any other operation is 400. The body
 * has been read.
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

/** Reads the body; a malformed one is 400, as LFS clients expect. */
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
