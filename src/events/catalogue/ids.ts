import { Type } from 'typebox'
import type { UserId } from '../../lib/ids.ts'

/** The id of a row, branded as `lib/ids.ts` says; that of the account that workflow jobs act as lies below zero. */
export const id = <Branded extends number>() => Type.Unsafe<Branded>({ type: 'integer', minimum: -2 })

/** What somebody may do, from none to owner (`access/rights.ts`). */
export const accessMode = Type.Unsafe<0 | 1 | 2 | 3 | 4>({ type: 'integer', minimum: 0, maximum: 4 })

export const visibility = Type.Unsafe<'public' | 'limited' | 'private'>({
  type: 'string',
  enum: ['public', 'limited', 'private'],
})

/** A git object id as text; forty or sixty-four zeros stand for none. */
export const oid = <Branded extends string>() =>
  Type.Unsafe<Branded>({ type: 'string', pattern: '^[0-9a-f]{40}([0-9a-f]{24})?$' })

/**
 * What people wrote: a purge of whoever wrote it empties it (`purge.ts`). Names of accounts and keys of files are none.
 * A member that is one is one in every event that has it.
 */
export const text = Type.String({ isWritten: true })

/** Accounts that the text mentions, that may see it and want to hear from its author. */
export const mentioned = Type.Optional(Type.Array(id<UserId>()))
