import { Type, type Static, type TSchema } from 'typebox'

/**
 * Small vocabulary on top of TypeBox. A schema made here is the JSON Schema of the API description; its `title` is the
 * name of the contract's type, and a titled schema becomes a shared component there.
 */

/** A named record of replies. */
export const object = <Properties extends Schemas>(name: string, properties: Properties) =>
  Type.Object(properties, { title: name })

/** A named record of requests. Decoding ignores unknown members. */
export const requestObject = <Properties extends Schemas>(name: string, properties: Properties) =>
  Type.Object(properties, { title: name })

/** Members of a closed request that have no effect. */
export interface WithoutEffect {
  /** Members that clients of the family send and that limit nothing, such as a description or a time of creation. */
  readonly ignored?: readonly string[]
  /** Members that clients of the family send, and that only ask for something with a value other than false, 0 or empty. */
  readonly ignoredWhenEmpty?: readonly string[]
}

/**
 * A named record of requests that create or change a credential or a rule. Decoding refuses unknown members: a limit that
 * the server does not know would be missing from the credential.
 */
export const closedObject = <Properties extends Schemas>(
  name: string,
  properties: Properties,
  { ignored, ignoredWhenEmpty }: WithoutEffect = {},
) =>
  Type.Object(properties, {
    title: name,
    additionalProperties: false,
    'x-ignored': ignored,
    'x-ignored-when-empty': ignoredWhenEmpty,
  })

/** The value or null; replies always contain the key. */
export const nullable = <Inner extends Schema>(inner: Inner) => Type.Union([inner, Type.Null()])

/** A member that is always null, described without a type, because generators know none for it. */
export const alwaysNull = () => Type.Unsafe<null>({ description: 'always null' })

/** Option of a member that requests may contain and descriptions do not show, such as a second spelling. */
export const undescribed = { 'x-undescribed': true } as const

/** A time as RFC 3339 text. */
export const dateTime = () => Type.String({ format: 'date-time' })

/** One of a closed set of texts. */
export const enumeration = <const Values extends readonly string[]>(...values: Values) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values] })

/** A text path parameter. */
export const pathText = Type.String({ minLength: 1 })

/** A numeric path parameter. */
export const pathNumber = Type.Integer({ minimum: 0 })

/** A recursive record; only its name is known here, so its members are not checked twice. */
export const reference = (name: string) => Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-reference': name })

/** A list in any query form of the family's clients: repeated, or separated by commas. */
export const commaList = () => Type.Unsafe<string[]>({ type: 'array', items: { type: 'string' }, 'x-comma-list': true })

/** Paging parameters of a list; the largest size is applied where the page is read (`lib/paging.ts`). */
/** Paging by numbers, or by the cursor of a `Link` header, which is faster on deep pages. */
export const cursorQuery = { cursor: Type.Optional(Type.String()) } as const
export const pageQuery = { page: Type.Optional(Type.Integer()), limit: Type.Optional(Type.Integer()) } as const

/** A schema built by the library. Its own type `TSchema` would accept any value, including a misspelt text. */
export type Schema = TSchema & ({ readonly '~kind': string } | { readonly '~unsafe': unknown })
export type Schemas = Readonly<Record<string, Schema>>

export type { Static }
