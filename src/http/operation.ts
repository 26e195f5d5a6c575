import type { Readable } from 'node:stream'
import type { Static, TProperties, TSchema, TObject } from 'typebox'
import type { Refusal } from '../lib/errors.ts'
import type { ErrorForm } from './error-forms.ts'
import type { Reply, StreamReply } from './reply.ts'

/** Categories of access tokens, as the contract names them. */
export type Scope =
  | 'activitypub'
  | 'admin'
  | 'issue'
  | 'misc'
  | 'notification'
  | 'organization'
  | 'package'
  | 'repository'
  | 'user'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Path parameters that are numbers: row ids, numbers of issues and positions. Anything else in their place is 404. */
type NumberParam =
  | 'attachment_id'
  | 'comment'
  | 'id'
  | 'index'
  | 'position'
  | 'repository-id'
  | 'run_id'
  | 'teamid'
  | 'user-id'

/** Where an operation lives: below the API root, below the vendor prefix, or below the site itself. */
export type Base = 'api' | 'vendor' | 'site'

/** One request on its way through an operation: what the client sent, as far as it has been looked at. */
export interface Call {
  readonly id: string
  readonly method: string
  /** Path and query as sent, below the site root. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Address of the client, behind trusted proxies the one they name. */
  readonly ip: string
  readonly params: Readonly<Record<string, string | number>>
  readonly query: Readonly<Record<string, unknown>>
  /** Query parameters as sent, for what is not declared by the operation (credentials, sudo). */
  readonly rawQuery: URLSearchParams
  readonly operation: Operation
  /** Ends when the client has gone away or the server stops. */
  readonly signal: AbortSignal
  /** The body as it arrives, not decoded. It may be taken once. */
  readonly body: () => Readable
  /** Reads, decodes and validates the body by the operation's schema; later calls give the same value. */
  readonly decodedBody: () => Promise<unknown>
  /** Headers that the reply carries besides its own. */
  readonly replyHeaders: Record<string, string>
  /** Why credentials that were sent do not count, on surfaces where that is no refusal yet. */
  refusedCredential: Refusal | undefined
}

/**
 * One check before an operation runs. `code` is the contract's name for it; `check` throws a refusal or returns what it
 * found, which is then part of the operation's context. `Needs` is what earlier requirements must have supplied.
 */
export interface Requirement<Needs extends object, Adds extends object> {
  readonly codes: readonly string[]
  readonly check: (ctx: Needs, call: Call) => Adds | Promise<Adds>
}

// oxlint-disable-next-line typescript/no-explicit-any -- the only place where requirements of every kind meet
export type AnyRequirement = Requirement<any, any>

/** The context after all requirements of a list have passed, or a text that says which one came too early. */
export type ContextAfter<Rs extends readonly AnyRequirement[], Ctx extends object = object> = Rs extends readonly [
  infer First,
  ...infer Rest extends readonly AnyRequirement[],
]
  ? First extends Requirement<infer Needs, infer Adds>
    ? Ctx extends Needs
      ? ContextAfter<Rest, Ctx & Adds>
      : { error: 'a requirement needs what no earlier one supplies'; needs: Needs }
    : never
  : Ctx

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}*`
    ? '*'
    : never

export type Params<Path extends string, Text extends string = never> = {
  readonly [Name in ParamNames<Path>]: Name extends Text ? string : Name extends NumberParam ? number : string
}

/** A reply's body: a schema, nothing at all, or bytes of whatever type the handler says. */
export type ReplyShape = TSchema | 'empty' | 'bytes'

export type RepliesOf<Replies extends Readonly<Record<number, ReplyShape>>> = {
  [Status in keyof Replies & number]: Replies[Status] extends 'empty'
    ? Reply<Status, undefined>
    : Replies[Status] extends 'bytes'
      ? StreamReply<Status>
      : Replies[Status] extends TSchema
        ? Reply<Status, Sent<Static<Replies[Status]>>>
        : never
}[keyof Replies & number]

/** A list that is answered need not be one that may be changed. */
type Sent<Body> = Body extends readonly (infer Item)[] ? readonly Item[] : Body

type BodyOf<Body> = Body extends TSchema ? Static<Body> : undefined

interface Declaration<
  Path extends string,
  Rs extends readonly AnyRequirement[],
  Query extends TProperties,
  Body extends TSchema | 'stream' | undefined,
  Replies extends Readonly<Record<number, ReplyShape>>,
  Text extends string,
> {
  readonly method: Method
  /** As in the contract: `{name}` for a segment, a final `*` for the rest of the path. */
  readonly path: Path
  /** Below the API root unless said otherwise. */
  readonly base?: Base
  /** What an access token must grant: the category at the level of the method. `null`: any token will do. */
  readonly scope: Scope | readonly Scope[] | null
  /** Checked left to right; the order is observable. There is at least one: `anyone` where all may ask. */
  readonly requires: Rs
  /**
   * Declared query parameters. What can not be read as its type counts as absent, and absent ones reach the handler as
   * such: one that is not `Type.Optional` is described as required, and the handler is what refuses without it.
   */
  readonly query?: Query
  /** The body's schema, checked where `validBody` stands among the requirements; or `stream`: the handler takes the bytes. */
  readonly body?: Body
  /** Largest body in bytes, when it is not the instance's limit for its kind. */
  readonly maxBodyBytes?: number
  /** Status → body of each success. */
  readonly reply: Replies
  /** How refusals look; API JSON unless said otherwise. */
  readonly errors?: ErrorForm
  /** Path parameters that are texts here although they are numbers elsewhere. */
  readonly textParams?: readonly Text[]
  readonly summary?: string
  readonly deprecated?: boolean
  readonly run: (input: {
    ctx: ContextAfter<Rs>
    params: Params<Path, Text>
    query: { readonly [Key in keyof Static<TObject<Query>>]?: Static<TObject<Query>>[Key] }
    body: BodyOf<Body>
    call: Call
  }) => Promise<RepliesOf<Replies>>
}

/** A declared operation, with its types taken off for the table. The id is the name it is exported by. */
export interface Operation {
  readonly kind: 'operation'
  readonly method: Method
  readonly path: string
  readonly base: Base
  readonly scope: readonly Scope[]
  readonly requires: readonly AnyRequirement[]
  readonly query: TProperties
  readonly body: TSchema | 'stream' | undefined
  readonly maxBodyBytes: number | undefined
  readonly reply: Readonly<Record<number, ReplyShape>>
  readonly errors: ErrorForm | undefined
  readonly textParams: readonly string[]
  readonly summary: string
  readonly deprecated: boolean
  readonly run: (input: {
    ctx: object
    params: object
    query: object
    body: unknown
    call: Call
  }) => Promise<Reply<number, unknown> | StreamReply<number>>
}

/**
 * Declares one operation of the API (or, with another `base`, of git, registries and downloads). Routing, decoding,
 * permission, description and the authorization tests come from this value. It does not compile without requirements,
 * nor when a handler uses what no requirement supplied.
 */
export function operation<
  const Path extends string,
  const Rs extends readonly [AnyRequirement, ...AnyRequirement[]],
  const Replies extends Readonly<Record<number, ReplyShape>>,
  Query extends TProperties = Record<never, never>,
  Body extends TSchema | 'stream' | undefined = undefined,
  const Text extends string = never,
>(declaration: Declaration<Path, Rs, Query, Body, Replies, Text>): Operation {
  const { scope } = declaration
  return {
    kind: 'operation',
    method: declaration.method,
    path: declaration.path,
    base: declaration.base ?? 'api',
    scope: scope === null ? [] : typeof scope === 'string' ? [scope] : scope,
    requires: declaration.requires,
    query: declaration.query ?? {},
    body: declaration.body,
    maxBodyBytes: declaration.maxBodyBytes,
    reply: declaration.reply,
    errors: declaration.errors,
    textParams: declaration.textParams ?? [],
    summary: declaration.summary ?? '',
    deprecated: declaration.deprecated ?? false,
    run: declaration.run as unknown as Operation['run'],
  }
}

/** An operation with the id it is known by. */
export interface NamedOperation extends Operation {
  readonly id: string
}

/** Collects the operations that modules of routes export, each under its export's name. */
export function operationsOf(...modules: readonly Readonly<Record<string, unknown>>[]): NamedOperation[] {
  return modules.flatMap((module) =>
    Object.entries(module).flatMap(([id, value]) =>
      (value as Partial<Operation> | null)?.kind === 'operation' ? [{ ...(value as Operation), id }] : [],
    ),
  )
}

const numberParams: ReadonlySet<string> = new Set<NumberParam>([
  'attachment_id',
  'comment',
  'id',
  'index',
  'position',
  'repository-id',
  'run_id',
  'teamid',
  'user-id',
])

/** True when this path parameter of the operation is a number. */
export const isNumberParam = (operation: Operation, name: string): boolean =>
  numberParams.has(name) && !operation.textParams.includes(name)

/** The body is read, decoded and checked here; a failure is 422 naming the first failing field (contract R3). */
export const validBody: Requirement<object, object> = {
  codes: ['bind'],
  async check(_ctx, call) {
    await call.decodedBody()
    return {}
  },
}
