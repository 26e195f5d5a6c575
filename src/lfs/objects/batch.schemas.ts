import { Type, type Static } from 'typebox'
import { dateTime, nullable, object, requestObject } from '../../http/schema.ts'

/** An object as named by clients. Each one is validated separately. */
const Named = { oid: Type.String(), size: Type.Number() }

export const LfsPointer = requestObject('LfsPointer', Named)

export const LfsBatchRequest = requestObject('LfsBatchRequest', {
  operation: Type.String(),
  transfers: Type.Optional(Type.Array(Type.String())),
  ref: Type.Optional(Type.Object({ name: Type.Optional(Type.String()) })),
  hash_algo: Type.Optional(Type.String()),
  objects: Type.Optional(Type.Array(LfsPointer)),
})
export type LfsBatchRequest = Static<typeof LfsBatchRequest>

const Action = object('LfsAction', {
  href: Type.String(),
  header: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** Lifetime in seconds; omitted for addresses that last as long as the credentials. */
  expires_in: Type.Optional(Type.Integer()),
  expires_at: Type.Optional(dateTime()),
})
export type LfsAction = Static<typeof Action>

export const LfsBatchReply = object('LfsBatchReply', {
  objects: nullable(
    Type.Array(
      object('LfsBatchObject', {
        ...Named,
        actions: Type.Optional(
          Type.Object({
            upload: Type.Optional(Action),
            verify: Type.Optional(Action),
            download: Type.Optional(Action),
          }),
        ),
        error: Type.Optional(Type.Object({ code: Type.Integer(), message: Type.String() })),
      }),
    ),
  ),
})
export type LfsBatchReply = Static<typeof LfsBatchReply>

/** Confirmation of an action. */
export const LfsDone = object('LfsDone', { Message: Type.String() })
