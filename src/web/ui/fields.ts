import { Type } from 'typebox'

/** Fields of forms and queries. They are lenient: an absent one is undefined, and the service says what is wrong with a value. */
export const text = Type.Optional(Type.String())
export const textList = Type.Optional(Type.Array(Type.String()))
export const integer = Type.Optional(Type.Integer())
/** A box; one that is not ticked is absent. */
export const tick = Type.Optional(Type.Boolean())

/** A text of at most this number of characters. */
export const textUpTo = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

/** Boxes, each declared by its label. */
type Boxes<Name extends string> = Readonly<Record<Name, unknown>>

/** Returns a field for each box. */
export const ticks = <Name extends string>(boxes: Boxes<Name>) =>
  Object.fromEntries(Object.keys(boxes).map((name) => [name, tick])) as Readonly<Record<Name, typeof tick>>

/** Returns whether each box of a sent form is ticked. */
export const tickedOf = <Name extends string>(
  boxes: Boxes<Name>,
  body: Readonly<Partial<Record<NoInfer<Name>, unknown>>>,
): Readonly<Record<Name, boolean>> =>
  Object.fromEntries(Object.keys(boxes).map((name) => [name, body[name as Name] === true])) as Readonly<
    Record<Name, boolean>
  >
