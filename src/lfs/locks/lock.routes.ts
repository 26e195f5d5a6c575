import { Type } from 'typebox'
import { operation } from '../../http/operation.ts'
import { created, ok, withStatus } from '../../http/reply.ts'
import { pathNumber } from '../../http/schema.ts'
import { lockErrors } from '../lfs-errors.ts'
import { lfsBody, lfsOn, maySeeLocks, mayUpload, speaksLfs } from '../lfs.requirements.ts'
import { lfsCredentials } from '../lfs-credentials.ts'
import { presentLock, presentLocks } from './lock.present.ts'
import {
  LfsLockList,
  LfsLockReply,
  LfsLockRequest,
  LfsLockTaken,
  LfsLockVerifyReply,
  LfsLockVerifyRequest,
  LfsUnlockRequest,
} from './lock.schemas.ts'
import { lockPath, pageOfLocks, unlock } from './lock.service.ts'

const nextCursorOf = (nextCursor: string | undefined) => (nextCursor === undefined ? {} : { next_cursor: nextCursor })

/** Lists locks of the repository, filtered by path without regard to letter case, or by id. */
export const lfsListLocks = operation({
  method: 'GET',
  path: '/{username}/{reponame}/info/lfs/locks',
  cost: 'usual',
  base: 'site',
  family: 'lfs',
  scope: null,
  ...lfsCredentials,
  errors: lockErrors,
  requires: [lfsOn, speaksLfs, maySeeLocks],
  query: {
    path: Type.Optional(Type.String()),
    id: Type.Optional(Type.String()),
    cursor: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Integer()),
    refspec: Type.Optional(Type.String()),
  },
  reply: { 200: LfsLockList },
  async run({ ctx, query }) {
    const { locks, nextCursor } = await pageOfLocks(ctx, query)
    return ok({ locks: await presentLocks(ctx, locks), ...nextCursorOf(nextCursor) })
  },
})

export const lfsCreateLock = operation({
  method: 'POST',
  path: '/{username}/{reponame}/info/lfs/locks',
  cost: 'usual',
  base: 'site',
  family: 'lfs',
  scope: null,
  ...lfsCredentials,
  errors: lockErrors,
  requires: [lfsOn, speaksLfs, mayUpload, lfsBody],
  body: LfsLockRequest,
  reply: { 201: LfsLockReply, 409: LfsLockTaken },
  async run({ ctx, body }) {
    const { lock, isTaken } = await lockPath(ctx, body.path, body.ref?.name)
    const shown = await presentLock(ctx, lock)
    return isTaken ? withStatus(409, { lock: shown, message: 'already created lock' }) : created({ lock: shown })
  },
})

/** Returns the caller's locks and those of others; clients ask before a push. */
export const lfsVerifyLocks = operation({
  method: 'POST',
  path: '/{username}/{reponame}/info/lfs/locks/verify',
  cost: 'usual',
  base: 'site',
  family: 'lfs',
  scope: null,
  ...lfsCredentials,
  errors: lockErrors,
  requires: [lfsOn, speaksLfs, mayUpload, lfsBody],
  body: LfsLockVerifyRequest,
  reply: { 200: LfsLockVerifyReply },
  async run({ ctx, body }) {
    const { locks, nextCursor } = await pageOfLocks(ctx, body)
    const isOurs = (lock: (typeof locks)[number]): boolean => lock.owner_id === ctx.viewer.id
    const [ours, theirs] = await Promise.all([
      presentLocks(ctx, locks.filter(isOurs)),
      presentLocks(
        ctx,
        locks.filter((lock) => !isOurs(lock)),
      ),
    ])
    return ok({ ours, theirs, ...nextCursorOf(nextCursor) })
  },
})

export const lfsDeleteLock = operation({
  method: 'POST',
  path: '/{username}/{reponame}/info/lfs/locks/{lid}/unlock',
  cost: 'usual',
  params: { lid: pathNumber },
  base: 'site',
  family: 'lfs',
  scope: null,
  ...lfsCredentials,
  errors: lockErrors,
  requires: [lfsOn, speaksLfs, mayUpload, lfsBody],
  body: LfsUnlockRequest,
  reply: { 200: LfsLockReply },
  async run({ ctx, params, body }) {
    const lock = await unlock(ctx, params.lid, body.force === true)
    return ok({ lock: await presentLock(ctx, lock) })
  },
})
