import { Type, type Static } from 'typebox'
import { dateTime, object, requestObject } from '../../http/schema.ts'

export const LfsLock = object('LfsLock', {
  id: Type.String(),
  path: Type.String(),
  locked_at: dateTime(),
  owner: Type.Object({ name: Type.String() }),
})
export type LfsLock = Static<typeof LfsLock>

const Ref = Type.Object({ name: Type.Optional(Type.String()) })

export const LfsLockRequest = requestObject('LfsLockRequest', {
  path: Type.String(),
  ref: Type.Optional(Ref),
})

export const LfsLockVerifyRequest = requestObject('LfsLockVerifyRequest', {
  ref: Type.Optional(Ref),
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer()),
})

export const LfsUnlockRequest = requestObject('LfsUnlockRequest', {
  ref: Type.Optional(Ref),
  force: Type.Optional(Type.Boolean()),
})

export const LfsLockReply = object('LfsLockReply', { lock: LfsLock })

export const LfsLockTaken = object('LfsLockTaken', { lock: LfsLock, message: Type.String() })

const nextCursor = { next_cursor: Type.Optional(Type.String()) }

export const LfsLockList = object('LfsLockList', { locks: Type.Array(LfsLock), ...nextCursor })

export const LfsLockVerifyReply = object('LfsLockVerifyReply', {
  ours: Type.Array(LfsLock),
  theirs: Type.Array(LfsLock),
  ...nextCursor,
})
