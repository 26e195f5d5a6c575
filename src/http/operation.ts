import type { Refusal } from '../lib/errors.ts'
import type { Readable } from 'node:stream'
import type { Claim } from '../admission/claim.ts'
import type { Cost } from '../admission/requests.ts'
import type { Static, TObject } from 'typebox'
import { apiErrors, textErrors, type CallHead, type ErrorForm } from './error-forms.ts'
import type { NarrowingHeader } from './narrowing-headers.ts'
import { paramNames, type ParamNames } from './path.ts'
import type { ComposedItem, ComposedList } from '../lib/composed-list.ts'
import type { EncodedBody } from '../lib/encoded-body.ts'
import { empty, type Reply, type StreamReply } from './reply.ts'
import { pathText, type Schema, type Schemas } from './schema.ts'

/** Categories of access token scopes (contract). */
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

/** Scopes that each permit one group of addresses, beside its category (contract). */
export type NarrowScope = 'admin:public_key' | 'admin:application' | 'admin:gpg_key'

/** The kinds of credentials; `auth/credentials.ts` reads them. */
export type CredentialKind =
  | 'token'
  | 'basic'
  | 'session'
  | 'oauth2'
  | 'job'
  | 'lfs'
  | 'runner'
  | 'registry'
  | 'signature'
  | 'client'

/** The default credentials of an operation. */
const usualCredentials: readonly CredentialKind[] = ['token', 'basic', 'oauth2', 'job']

/**
 * The credentials of an address that both programs and browsers open. `GET` operations of the family `downloads` accept
 * them by default.
 */
export const browserCredentials: readonly CredentialKind[] = [...usualCredentials, 'session']

/** Whether the operation is a page or a page's form: it accepts only browser sessions. */
export const isPage = ({ accepts }: Pick<Operation, 'accepts'>): boolean =>
  accepts.length === 1 && accepts[0] === 'session'

/** The path prefix of an operation: the API root, the vendor prefix, or the site root. */
export type Base = 'api' | 'vendor' | 'site'

/** Groups of operations, each with its own API description. */
export type Family = Base | 'git' | 'downloads' | 'lfs' | 'runner' | 'oauth2' | 'federation' | `${string}-registry`

/**
 * The initial context of a request; the layer that admits requests extends it (`declare module`), and requirements add to
 * it.
 */
export interface RequestContext {
  /** Results of `ahead` of the requirements, in their order. */
  readonly ahead?: readonly (Promise<unknown> | undefined)[] | undefined
}

/** One request to an operation. */
export interface Call<out Params extends Schemas = Schemas> extends CallHead {
  /** Client address; behind trusted proxies the one that they report. */
  readonly ip: string
  /** Whether a trusted proxy sent it. */
  readonly isFromProxy: boolean
  /** The claim that the request is charged to: an address, and account and repository once known. */
  claim: Claim
  readonly params: ParamsOf<Params>
  readonly query: Readonly<Record<string, unknown>>
  /** Raw query parameters, for undeclared ones (credentials, sudo). */
  readonly rawQuery: URLSearchParams
  readonly operation: Operation
  /** Aborted when the client disconnects, and when the server stops if the reply would last. */
  readonly signal: AbortSignal
  /** Aborted when the server stops: a wait ends, so that its request is answered in time. */
  readonly stopping: AbortSignal
  /** Returns the raw body stream, once. */
  body(): Readable
  /** Reads, decodes and validates the body by the operation's schema; later calls return the same value. */
  decodedBody(): Promise<unknown>
  /** Reads the whole body within the limits of buffered bodies. */
  wholeBody(): Promise<Buffer>
  /** Counts bytes that stay in memory until the reply. Throws Unavailable. */
  holds(bytes: number): void
  /**
   * Waits for a slot for expensive work and holds it until the reply; the server takes it for operations that are expensive by
   * declaration. Throws Unavailable.
   */
  takeSlot(): void | Promise<void>
  /** Additional headers of the reply. */
  readonly replyHeaders: Record<string, string>
  /** `Set-Cookie` headers of the reply or refusal, before its own. */
  readonly cookies: string[]
}

/**
 * One check before an operation runs. `codes` are the contract's names for it; `check` throws a refusal or returns what it
 * found, which is then part of the operation's context. `Needs` is what must have been supplied before.
 */
export interface Requirement<
  in Needs extends object,
  out Adds extends object,
  in out Params extends Schemas = Readonly<Record<never, never>>,
  in out Ahead = undefined,
> {
  readonly codes: readonly string[]
  /** Statuses of its refusals, for the API description. */
  readonly refuses: readonly number[]
  /** Path parameters that it reads; operations need not declare them again. */
  readonly params?: Params
  /**
   * Begins queries for `check` before the caller is known: queries that begin before the first wait of a request go to the
   * database together. Nobody sees their results before the requirements have passed.
   */
  readonly ahead?: (ctx: RequestContext, call: Call<Params>) => Promise<Ahead>
  /** @param ahead the result of `ahead` */
  readonly check: (ctx: Needs, call: Call<Params>, ahead?: Promise<Ahead>) => Adds | Promise<Adds>
}

// oxlint-disable-next-line typescript/no-explicit-any -- the only place where requirements of every kind meet
export type AnyRequirement = Requirement<any, any, any, any>

/** The context after a list of requirements, or an error type for a requirement in the wrong order. */
export type ContextAfter<
  Rs extends readonly AnyRequirement[],
  Ctx extends object = RequestContext,
> = Rs extends readonly [infer First, ...infer Rest extends readonly AnyRequirement[]]
  ? First extends Requirement<infer Needs, infer Adds, infer _Params, infer _Ahead>
    ? Ctx extends Needs
      ? ContextAfter<Rest, Ctx & Adds>
      : { error: 'a requirement needs what no earlier one supplies'; needs: Needs }
    : never
  : Ctx

/** Values of path parameters by schema. */
export type ParamsOf<Schemas> = {
  readonly [Name in keyof Schemas]: Schemas[Name] extends Schema ? Static<Schemas[Name]> : never
}

/** Values of the parameters of a path: those without a schema are texts. */
export type PathParams<Path extends string, Known> = ParamsOf<Known> & {
  readonly [Name in Exclude<ParamNames<Path>, keyof Known>]: string
}

/** The path parameters that requirements declare. */
export type ParamsOfAll<Rs extends readonly AnyRequirement[]> = Rs extends readonly [
  infer First,
  ...infer Rest extends readonly AnyRequirement[],
]
  ? (First extends Requirement<infer _Needs, infer _Adds, infer Params, infer _Ahead> ? Params : never) &
      ParamsOfAll<Rest>
  : Readonly<Record<never, never>>

/** Bytes of one of these media types; `*\/*` for any. */
export interface BytesShape {
  readonly kind: 'bytes'
  readonly mediaTypes: readonly string[]
}

/** JSON with its own media type. */
export interface JsonShape<Body extends Schema = Schema> {
  readonly kind: 'json'
  readonly mediaType: string
  readonly schema: Body
}

/** A reply's body: a schema (plain JSON), JSON of another media type, bytes, or nothing at all. */
export type ReplyShape = Schema | JsonShape | BytesShape | 'empty'

/** A request body: a schema for JSON and forms, or raw bytes. */
export type BodyShape = Schema | BytesShape

/** Declares a body of bytes. */
export const bytesOf = (...mediaTypes: readonly [string, ...string[]]): BytesShape => ({ kind: 'bytes', mediaTypes })

/** Declares JSON with its own media type, as Git LFS uses. */
export const jsonAs = <Body extends Schema>(mediaType: string, schema: Body): JsonShape<Body> => ({
  kind: 'json',
  mediaType,
  schema,
})

/** Returns whether a shape is bytes. `kind` alone does not tell: schemas may have it. */
export const isBytes = (shape: ReplyShape | BodyShape | undefined): shape is BytesShape =>
  typeof shape === 'object' && 'mediaTypes' in shape
export const isJsonAs = (shape: ReplyShape | undefined): shape is JsonShape =>
  typeof shape === 'object' && 'mediaType' in shape

/** The media type of server-sent events. */
export const eventStreamType = 'text/event-stream'

export const isEventStream = (shape: ReplyShape): boolean =>
  isBytes(shape) && shape.mediaTypes.includes(eventStreamType)

export type RepliesOf<Replies extends Readonly<Record<number, ReplyShape>>> = {
  [Status in keyof Replies & number]: Replies[Status] extends 'empty'
    ? Reply<Status, undefined>
    : Replies[Status] extends BytesShape
      ? StreamReply<Status>
      : Replies[Status] extends JsonShape<infer Body>
        ? Reply<Status, Sent<Static<Body>>>
        : Replies[Status] extends Schema
          ? Reply<Status, Sent<Static<Replies[Status]>>>
          : never
}[keyof Replies & number]

/** Replies may be read-only, composed or already encoded. */
type Sent<Body> = Body extends readonly (infer Item extends object)[]
  ? readonly Item[] | ComposedList<Item> | EncodedBody<readonly Item[]>
  : Body extends readonly (infer Item)[]
    ? readonly Item[]
    : Body extends object
      ? Body | ComposedItem<Body> | EncodedBody<Body>
      : Body

/** A key that is the only one of its kind; never for several. */
type OnlyKey<Key, All = Key> = Key extends unknown ? ([All] extends [Key] ? Key : never) : never

/** What an operation may return instead of a reply: nothing, if its only declared reply is empty. */
type NothingFor<Replies extends Readonly<Record<number, ReplyShape>>> = Replies[OnlyKey<
  keyof Replies & number
>] extends 'empty'
  ? void
  : never

type BodyOf<Body> = Body extends Schema ? Static<Body> : undefined

interface Declaration<
  Path extends string,
  Rs extends readonly AnyRequirement[],
  Params extends { readonly [Name in ParamNames<Path>]?: Schema },
  Query extends Schemas,
  Body extends BodyShape | undefined,
  Replies extends Readonly<Record<number, ReplyShape>>,
> {
  readonly method: Method
  /** As in the contract: `{name}` for a segment, `{name+}` for several of them (`http/path.ts`). */
  readonly path: Path
  /** The default is the API root. */
  readonly base?: Base
  /** The API description that contains it; the default is that of its base. */
  readonly family?: Family
  /** Required query parameters; the operation takes precedence over others at its address. */
  readonly whenQuery?: Readonly<Record<string, string>>
  /** The scope that an access token needs, at the level of the method. `null`: none. */
  readonly scope: Scope | readonly Scope[] | null
  /** A scope that suffices without the category. */
  readonly narrowScope?: NarrowScope
  /**
   * Whether the operation creates or changes something that outlives or exceeds the credential: a token, a key, a
   * webhook, a password, the rights of another account. It needs the write level whatever its method, and refuses
   * jobs of workflows. It refuses public-only tokens outside of repositories and organizations; `account`: there too.
   */
  readonly outlivesCredential?: true | 'account'
  /**
   * The accepted kinds of credentials; a credential of another kind is wrong. The default is the kinds of accounts, and
   * the session of a browser for each GET of the family `downloads`.
   */
  readonly accepts?: readonly CredentialKind[]
  /**
   * What becomes of a request with wrong credentials: refused with 401, as the API does, or answered as a guest's until a
   * requirement asks for somebody, as other surfaces do unless they say otherwise: what is public can be cloned with them.
   */
  readonly wrongCredentials?: 'refused' | 'guest'
  /** Checked left to right; the order is observable. There is at least one: `anyone` where all may ask. */
  readonly requires: Rs
  /**
   * Schemas of the path parameters that no requirement declares and that are not plain texts (`pathNumber`, an `enumeration`). What
   * is no number in a number's place is 404; an address with a text that an enumeration does not list is another address.
   */
  readonly params?: Params
  /**
   * Declared query parameters. What cannot be read as its type counts as absent, and absent ones reach the handler as
   * such: one that is not `Type.Optional` is described as required, and the handler is what refuses without it.
   */
  readonly query?: Query
  /** The body's schema, checked where `validBody` stands among the requirements; or `bytesOf(…)`: the handler takes them as they come. */
  readonly body?: Body
  /** Maximum size of the body in bytes; the default is the limit of the instance. */
  readonly maxBodyBytes?: number
  /** Its fields contain files, so the larger limit of the instance applies. */
  readonly carriesFiles?: true
  /** What it costs other requests. */
  readonly cost: Cost
  /** Headers that limit a change (`http/narrowing.ts`) and that the handler obeys; the others are refused. */
  readonly obeys?: readonly NarrowingHeader[]
  /** Whether it changes persistent state; the default is true except for GET. */
  readonly writes?: boolean
  /** Status → body of each success. With one empty reply and nothing else, `run` returns nothing. */
  readonly reply: Replies
  /** Statuses of refusals of the handler, beside those of the requirements and of every operation (`refusals.ts`). */
  readonly refuses?: readonly number[]
  /** Form of refusals; the default is API JSON, and text outside the API. */
  readonly errors?: ErrorForm
  readonly summary?: string
  readonly deprecated?: boolean
  /** Every origin may call it, without cookies, whatever `[cors]` says. */
  readonly anyOrigin?: true
  readonly run: (input: {
    ctx: ContextAfter<Rs>
    params: PathParams<Path, Params & ParamsOfAll<Rs>>
    query: { readonly [Key in keyof Static<TObject<Query>>]?: Static<TObject<Query>>[Key] }
    body: BodyOf<Body>
    call: Call
  }) => Promise<RepliesOf<Replies> | NothingFor<Replies>>
}

/** A declared operation without its type parameters. Its id is its export name. */
export interface Operation {
  readonly kind: 'operation'
  readonly method: Method
  readonly path: string
  readonly base: Base
  readonly family: Family
  readonly whenQuery: Readonly<Record<string, string>> | undefined
  readonly scope: readonly Scope[]
  readonly narrowScope: NarrowScope | undefined
  readonly outlivesCredential: boolean | 'account'
  readonly accepts: readonly CredentialKind[]
  readonly wrongCredentials: 'refused' | 'guest'
  readonly requires: readonly AnyRequirement[]
  /** The schema of each path parameter, in the order of the path. */
  readonly params: Schemas
  readonly query: Schemas
  readonly body: BodyShape | undefined
  readonly maxBodyBytes: number | undefined
  readonly carriesFiles: boolean
  readonly cost: Cost
  readonly writes: boolean
  readonly obeys: readonly NarrowingHeader[]
  readonly reply: Readonly<Record<number, ReplyShape>>
  readonly refuses: readonly number[]
  readonly errors: ErrorForm
  readonly summary: string
  readonly deprecated: boolean
  readonly anyOrigin: boolean
  /** The reply may take so long that credential and rights are rechecked meanwhile (`http/lasting-answers.ts`). */
  readonly lasts: boolean
  /** Answers a refusal of a requirement in its own way; undefined: as `errors` says. */
  readonly afterRefusal?: (
    refusal: Refusal,
    call: Call,
  ) => Promise<StreamReply<number> | Reply<303, undefined> | undefined>
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
  Params extends { readonly [Name in ParamNames<Path>]?: Schema } = Readonly<Record<never, never>>,
  Query extends Schemas = Record<never, never>,
  Body extends BodyShape | undefined = undefined,
>(declaration: Declaration<Path, Rs, Params, Query, Body, Replies>): Operation {
  const { base = 'api', path, requires, scope } = declaration
  const isDownload = declaration.family === 'downloads' && declaration.method === 'GET'
  return {
    kind: 'operation',
    method: declaration.method,
    path,
    base,
    family: declaration.family ?? base,
    whenQuery: declaration.whenQuery,
    scope: scope === null ? [] : typeof scope === 'string' ? [scope] : scope,
    narrowScope: declaration.narrowScope,
    outlivesCredential: declaration.outlivesCredential ?? false,
    accepts: declaration.accepts ?? (isDownload ? browserCredentials : usualCredentials),
    wrongCredentials: declaration.wrongCredentials ?? (base === 'site' ? 'guest' : 'refused'),
    requires,
    params: pathSchemas(path, requires, declaration.params),
    query: declaration.query ?? {},
    body: declaration.body,
    maxBodyBytes: declaration.maxBodyBytes,
    carriesFiles: declaration.carriesFiles ?? false,
    cost: declaration.cost,
    obeys: declaration.obeys ?? [],
    writes: declaration.writes ?? declaration.method !== 'GET',
    reply: declaration.reply,
    refuses: declaration.refuses ?? [],
    errors: declaration.errors ?? (base === 'site' ? textErrors : apiErrors),
    summary: declaration.summary ?? '',
    deprecated: declaration.deprecated ?? false,
    anyOrigin: declaration.anyOrigin ?? false,
    lasts: declaration.cost === 'waiting' || Object.values(declaration.reply).some(isEventStream),
    run: withEmptyReply(declaration),
  }
}

/** Returns the handler; the only declared reply, if it is empty, replaces a result of nothing. */
function withEmptyReply({ reply, run }: { readonly reply: Operation['reply']; readonly run: unknown }) {
  const handler = run as Operation['run']
  const [only, ...others] = Object.entries(reply)
  if (only?.[1] !== 'empty' || others.length > 0) return handler
  const emptyReply = empty(Number(only[0]))
  return async (input: Parameters<Operation['run']>[0]) => (await handler(input)) ?? emptyReply
}

/** Returns the schema of each path parameter; throws for an unknown one, which is a mistake in the program. */
function pathSchemas(
  path: string,
  requires: readonly AnyRequirement[],
  own: { readonly [name: string]: Schema | undefined } | undefined,
): Schemas {
  const known: Record<string, Schema | undefined> = Object.assign({}, ...requires.map(({ params }) => params), own)
  const names = paramNames(path)
  const stray = Object.keys(known).find((name) => !names.includes(name))
  if (stray !== undefined) {
    throw new Error(`${path} has no parameter ${stray}, which its operation or requirements name`)
  }
  return Object.fromEntries(names.map((name) => [name, known[name] ?? pathText]))
}

/** An operation with its id. */
export interface NamedOperation extends Operation {
  readonly id: string
}

/** Returns the exported operations of modules, with their export names as ids. */
export function operationsOf(...modules: readonly Readonly<Record<string, unknown>>[]): NamedOperation[] {
  return modules.flatMap((module) =>
    Object.entries(module).flatMap(([id, value]) =>
      (value as Partial<Operation> | null)?.kind === 'operation' ? [{ ...(value as Operation), id }] : [],
    ),
  )
}

/** Returns a text member of a decoded body, or undefined. */
export function textMember(body: unknown, name: string): string | undefined {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
  return typeof value === 'string' ? value : undefined
}

/** Statuses of an unreadable body: too large, wrong type, invalid. */
export const bodyRefusals = [413, 415, 422]

/** Reads, decodes and validates the body; a failure is 422 with the first failing field (contract R3). */
export const validBody: Requirement<object, object> = {
  codes: ['bind'],
  refuses: bodyRefusals,
  async check(_ctx, call) {
    await call.decodedBody()
    return {}
  },
}
