import { Type } from 'typebox'
import type { UserId } from '../../lib/ids.ts'

/** A row id (`lib/ids.ts`). The id of the account of workflow jobs is negative. */
export const id = <Branded extends number>() => Type.Unsafe<Branded>({ type: 'integer', minimum: -2 })

/** An access level, from none to owner (`access/rights.ts`). */
export const accessMode = Type.Unsafe<0 | 1 | 2 | 3 | 4>({ type: 'integer', minimum: 0, maximum: 4 })

export const visibility = Type.Unsafe<'public' | 'limited' | 'private'>({
  type: 'string',
  enum: ['public', 'limited', 'private'],
})

/** A git object id; all zeros stand for no object. */
export const oid = <Branded extends string>() =>
  Type.Unsafe<Branded>({ type: 'string', pattern: '^[0-9a-f]{40}([0-9a-f]{24})?$' })

/**
 * A text of a user; purging the author empties it (`purge.ts`). Names of accounts and keys of files are not texts. A member
 * with texts has them in every event.
 */
export const text = Type.String({ isWritten: true })

/** Mentioned accounts that may see the text and have not blocked its author. */
export const mentioned = Type.Optional(Type.Array(id<UserId>()))
