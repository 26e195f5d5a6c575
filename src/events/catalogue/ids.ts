import { Type } from 'typebox'

/** The id of a row, branded as `lib/ids.ts` says. */
export const id = <Branded extends number>() => Type.Unsafe<Branded>({ type: 'integer', minimum: 0 })

/** A git object id as text; forty or sixty-four zeros stand for none. */
export const oid = <Branded extends string>() =>
  Type.Unsafe<Branded>({ type: 'string', pattern: '^[0-9a-f]{40}([0-9a-f]{24})?$' })
