import { Type } from 'typebox'

/** Fields of forms and queries. They are lenient: an absent one is undefined, and the service says what is wrong with a value. */
export const text = Type.Optional(Type.String())
export const textList = Type.Optional(Type.Array(Type.String()))
export const integer = Type.Optional(Type.Integer())
/** A box; one that is not ticked is absent. */
export const tick = Type.Optional(Type.Boolean())

/** A text of at most this number of characters. */
export const textUpTo = (maxLength: number) => Type.Optional(Type.String({ maxLength }))
