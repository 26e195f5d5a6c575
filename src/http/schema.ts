import { Type, type Static, type TSchema } from 'typebox'

/**
 * Small vocabulary on top of TypeBox. A schema made here is the JSON Schema of the API description; its `title` is the
 * name of the contract's type, and a titled schema becomes a shared component there.
 */

/** A named record, as a reply shows it. */
export const object = <Properties extends Schemas>(name: string, properties: Properties) =>
  Type.Object(properties, { title: name })

/** A named record that a request sends. Unknown members are ignored when it is decoded. */
export const requestObject = <Properties extends Schemas>(name: string, properties: Properties) =>
  Type.Object(properties, { title: name })

/** The value or null; in a reply the key is always there. */
export const nullable = <Inner extends Schema>(inner: Inner) => Type.Union([inner, Type.Null()])

/** A time as RFC 3339 text. */
export const dateTime = () => Type.String({ format: 'date-time' })

/** One of a closed set of texts. */
export const enumeration = <const Values extends readonly string[]>(...values: Values) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values] })

/** A parameter of a path: a name, or a part of a path. */
export const pathText = Type.String({ minLength: 1 })

/** A parameter of a path: the id of a row, the number of an issue, or a position. */
export const pathNumber = Type.Integer({ minimum: 0 })

/** A named record that contains itself; only its name is known here, so its members are not checked twice. */
export const reference = (name: string) => Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-reference': name })

/** A list of any of the query forms the family's clients use: repeated, or joined by commas. */
export const commaList = () => Type.Unsafe<string[]>({ type: 'array', items: { type: 'string' }, 'x-comma-list': true })

/** Paging parameters of a list; the largest size is applied where the page is read (`lib/paging.ts`). */
/** Paging by numbers, or by the cursor of a `Link` header, which is faster on deep pages. */
export const cursorQuery = { cursor: Type.Optional(Type.String()) } as const
export const pageQuery = { page: Type.Optional(Type.Integer()), limit: Type.Optional(Type.Integer()) } as const

/** A schema that was made as one. The type of the library's own (`TSchema`) takes any value, a misspelt text as well. */
export type Schema = TSchema & ({ readonly '~kind': string } | { readonly '~unsafe': unknown })
export type Schemas = Readonly<Record<string, Schema>>

export type { Static }
