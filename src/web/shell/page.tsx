import type { ComponentChild, VNode } from 'preact'
import type { TObject, Static } from 'typebox'
import type { SignedInCtx } from '../../access/context.ts'
import type { RepoCtx } from '../../access/context.ts'
import type { Cost } from '../../admission/requests.ts'
import { requestOrigin } from '../../audit/request-origin.ts'
import { pageErrors, type RefusedCall } from '../../http/error-forms.ts'
import {
  bytesOf,
  operation,
  validBody,
  type AnyRequirement,
  type Call,
  type ContextAfter,
  type Operation,
  type ParamsOfAll,
  type PathParams,
} from '../../http/operation.ts'
import type { ParamNames } from '../../http/path.ts'
import { empty, type Reply, type StreamReply } from '../../http/reply.ts'
import { requestObject, type Schema, type Schemas } from '../../http/schema.ts'
import { Conflict, Invalid, NotFound, Refusal, Unauthenticated, Unavailable } from '../../lib/errors.ts'
import { Type } from 'typebox'
import { crossedEdit, versionName, type CrossedEdit, type StoredFields } from '../ui/edited-form.ts'
import { linkMessages } from '../../site/render.service.ts'
import { csrfName, onceName, type RefusedForm } from '../ui/page-context.ts'
import { findOutcome, runOnce, type SentForm } from '../../users/sent-forms/sent-form.service.ts'
import { siteHref } from '../ui/paths.ts'
import { isFromHere } from '../../http/own-origin.ts'
import { contextOf, type BrowserCtx } from './browser-context.ts'
import { inBrowser, inSession, ownForm } from './browser.requirements.ts'
import type { PageMeta } from './document.tsx'
import { ErrorContent, errorHeading } from './error-page.tsx'
import { explained } from './explained.ts'
import { noticeCookie, redirectTo, undoCookie, type Undo } from './notice.ts'
import { unkept } from './page-headers.ts'
import { confirmationFields, recentSignInFor, type Sent } from './recent-sign-in.tsx'
import { partsType, readStored, sendPage, sendParts } from './send-page.tsx'
import { shellTexts } from '../languages/texts.ts'

type QueryOf<Query extends Schemas> = {
  readonly [Key in keyof Static<TObject<Query>>]?: Static<TObject<Query>>[Key]
}

/**
 * What surrounds the content of several pages, such as the tabs of a repository: loads its own data, and returns how it
 * wraps the content.
 */
export type Frame<Ctx> = (ctx: Ctx) => Promise<(content: ComponentChild) => VNode>

/**
 * The id of the API's operation that shows or does the same; `null` where the API has none. A page with a form names what
 * the form does. `test/pages-twins.test.ts` compares the requirements of both.
 */
type Twin = string | null

/** An operation that a page or form declares. */
export interface TwinOperation extends Operation {
  readonly twin: Twin
  /** See `act`. */
  readonly edits?: true | undefined
  readonly recentSignIn?: true | 'password' | undefined
  /** The form has texts that people type, which a refusal shows again. */
  readonly keepsTexts?: boolean
}

interface PageInput<Ctx, Params, Query> {
  readonly ctx: Ctx
  readonly params: Params
  readonly query: Query
  readonly call: Call
}

interface PageDeclaration<
  Path extends string,
  Rs extends readonly AnyRequirement[],
  Params extends { readonly [Name in ParamNames<Path>]?: Schema },
  Query extends Schemas,
  Data,
> {
  readonly path: Path
  readonly twin: Twin
  /** Required query parameters; the page takes precedence over others at its address. */
  readonly whenQuery?: Readonly<Record<string, string>>
  /** Checked left to right after `inBrowser`, in the order of the API twin. */
  readonly requires: Rs
  readonly params?: Params
  readonly query?: Query
  /** What it costs other requests. */
  readonly cost: Cost
  readonly frame?: Frame<ContextAfter<readonly [typeof inBrowser, ...Rs]>>
  /** The page uses the whole width of the window. */
  readonly isWide?: boolean
  /** The browser keeps no copy of the page. */
  readonly isSecret?: boolean
  /** Reads what the page shows. Throws `Moved` to redirect. */
  readonly load: (
    input: PageInput<
      ContextAfter<readonly [typeof inBrowser, ...Rs]>,
      PathParams<Path, Params & ParamsOfAll<Rs>>,
      QueryOf<Query>
    >,
  ) => Promise<Data>
  /** Returns the messages of commits that the view shows by `MessageText`, whose references become links. For pages of a repository. */
  readonly messages?: (data: Data) => readonly string[]
  readonly meta: (
    data: Data,
    input: PageInput<
      ContextAfter<readonly [typeof inBrowser, ...Rs]>,
      PathParams<Path, Params & ParamsOfAll<Rs>>,
      QueryOf<Query>
    >,
  ) => PageMeta
  readonly view: (data: Data) => VNode
}

/** A page. A refused form shows it again. */
export interface Page extends TwinOperation {
  readonly showAgain: <const Status extends number>(input: {
    readonly ctx: BrowserCtx
    readonly params: Readonly<Record<string, unknown>>
    /** What the page takes in its query; the default is nothing. */
    readonly query?: Readonly<Record<string, unknown>>
    readonly call: Call
    readonly refused: RefusedForm
    readonly status: Status
  }) => Promise<StreamReply<Status>>
  /** Returns the stored fields of a form of the page; undefined when the page lacks it now. */
  readonly storedFields: (input: {
    readonly ctx: BrowserCtx
    readonly params: Readonly<Record<string, unknown>>
    readonly query: Readonly<Record<string, unknown>>
    readonly call: Call
    /** Path of the form below the site root. */
    readonly action: string
  }) => Promise<StoredFields | undefined>
}

/** What every page and act declares. */
const shared = { base: 'site', scope: null, accepts: ['session'], errors: pageErrors } as const

/** Statuses with which a form is shown again. */
export const againReplies = {
  400: bytesOf('text/html'),
  403: bytesOf('text/html'),
  405: bytesOf('text/html'),
  409: bytesOf('text/html'),
  412: bytesOf('text/html'),
  413: bytesOf('text/html'),
  422: bytesOf('text/html'),
  423: bytesOf('text/html'),
  429: bytesOf('text/html'),
} as const

const actReplies = { 303: 'empty', ...againReplies } as const

export const isAgainStatus = (status: number): status is keyof typeof againReplies =>
  Object.hasOwn(againReplies, status)

/**
 * Declares a page. It is an operation, so that routing, rights, limits and the authorization tests cover it. `load` reads
 * from services, presenters and policies; `view` turns the result into JSX.
 */
export function page<
  const Path extends string,
  const Rs extends readonly AnyRequirement[],
  Data extends object,
  Params extends { readonly [Name in ParamNames<Path>]?: Schema } = Readonly<Record<never, never>>,
  Query extends Schemas = Record<never, never>,
>(declaration: PageDeclaration<Path, Rs, Params, Query, Data>): Page {
  const { path, requires, frame, load, meta, view, isWide, isSecret } = declaration
  async function show(
    input: { readonly ctx: object; readonly params: unknown; readonly query: unknown; readonly call: Call },
    refused?: RefusedForm,
    status = 200,
  ): Promise<StreamReply<number>> {
    // The declaration's types say what these are; `operation` has checked them.
    const typed = input as unknown as Parameters<typeof load>[0]
    const data = await load(typed)
    const wrap = await frame?.(typed.ctx)
    const View = view
    const content = <View {...data} />
    const messages =
      declaration.messages &&
      (await linkMessages(input.ctx as BrowserCtx, declaration.messages(data), input.ctx as RepoCtx))
    return sendPage(input.ctx as BrowserCtx, input.call, {
      messages,
      meta: meta(data, typed),
      content: wrap ? wrap(content) : content,
      isWide,
      refused,
      status,
      ...(isSecret ? { headers: unkept } : {}),
    })
  }
  async function storedFields({ action, ...input }: Parameters<Page['storedFields']>[0]) {
    const View = view
    const data = await load(input as unknown as Parameters<typeof load>[0])
    return readStored(input.ctx, input.call, <View {...data} />, action)
  }
  const declared = operation({
    ...shared,
    method: 'GET',
    path: path,
    whenQuery: declaration.whenQuery,
    requires: [inBrowser, ...requires] as unknown as readonly [AnyRequirement, ...AnyRequirement[]],
    params: declaration.params,
    query: declaration.query,
    cost: declaration.cost,
    reply: { 200: bytesOf('text/html') },
    run: async (input) => show(input as Parameters<typeof show>[0]) as Promise<StreamReply<200>>,
  })
  return {
    ...declared,
    twin: declaration.twin,
    storedFields,
    showAgain: <Status extends number>({
      ctx,
      params,
      query = {},
      call,
      refused,
      status,
    }: Parameters<Page['showAgain']>[0]) =>
      show({ ctx, params, query, call }, refused, status) as Promise<StreamReply<Status>>,
  }
}

/** Where an act leads. */
export interface ActResult {
  /** Path below the site root. */
  readonly to: string
  /** A sentence that the next page shows once. */
  readonly notice?: string | undefined
  /** A sentence in place of the notice, when the act did not do all of what it is for. */
  readonly warning?: string | undefined
  /** What takes the act back: a button beside the sentence. */
  readonly undo?: Undo | undefined
  /** Further cookies. */
  readonly cookies?: readonly string[]
  /** Further headers of the redirect. */
  readonly headers?: Readonly<Record<string, string>>
  /** What the act changes in the page, by id: an act that declares `answersParts` sends it to scripts in place of a redirect. */
  readonly parts?: Readonly<Record<string, VNode>>
}

/**
 * Returns the page that shows a refused form again; undefined: the error page does, with the texts. So it does when the
 * requirements refuse.
 */
export type PageOf<Ctx, Params> = (input: {
  readonly ctx: Ctx
  readonly params: Params
  readonly body: Readonly<Record<string, unknown>>
}) => Promise<Page | undefined>

/** Says that the texts of an act come from its page, such as the name of what a button deletes: nobody typed them. */
export const nothingTyped = 'nothing typed'

/** The names of fields that take text. */
type TextNames<Fields extends Schemas> = {
  [Name in keyof Fields]-?: string extends Static<Fields[Name]>
    ? Name
    : readonly string[] extends Static<Fields[Name]>
      ? Name
      : never
}[keyof Fields]

/** Demands `again` of an act whose form has text. */
type SaysWhereAgain<Fields extends Schemas, Again> = [TextNames<Fields>] extends [never]
  ? { readonly again?: Again }
  : { readonly again: Again }

type Again<Rs extends readonly AnyRequirement[], Params> =
  | Page
  | PageOf<ContextAfter<readonly [typeof inBrowser, typeof inSession, ...Rs]>, Params>
  | typeof nothingTyped

interface ActDeclaration<
  Path extends string,
  Rs extends readonly AnyRequirement[],
  Params extends { readonly [Name in ParamNames<Path>]?: Schema },
  Fields extends Schemas,
> {
  readonly path: Path
  readonly twin: Twin
  /** Checked left to right after the session, in the order of the API twin. */
  readonly requires: Rs
  readonly params?: Params
  /** The fields of the form. They are lenient, so that the service says what is wrong with a value. */
  readonly fields?: Fields
  /** See `operation`. */
  readonly outlivesCredential?: true
  readonly cost: Cost
  readonly maxBodyBytes?: number
  /**
   * The act creates, shows or weakens a credential: it needs a recent sign-in, and asks for one on a page that keeps what
   * was sent. `password`: the form has a field for the password of the account, which `run` checks each time; only an
   * account without one needs a recent sign-in.
   */
  readonly recentSignIn?: true | 'password'
  /**
   * The form edits what exists and says so (`Form isEdit`): a field that somebody else changed since the form was shown is not
   * overwritten; the page in `again` shows both values.
   */
  readonly edits?: true
  /** Names of fields that the page takes in its query, such as the template of a form; or returns the query. */
  readonly againQuery?:
    | readonly (keyof Fields & string)[]
    | ((body: Static<TObject<Fields>>) => Readonly<Record<string, unknown>>)
  /**
   * Scripts get only the parts of the page that the act changes. It sets something, such as a mark: unlike other acts, it may run
   * again when its answer was lost (docs/decisions/0172-a-form-is-sent-once.md).
   */
  readonly answersParts?: true
  /** Maps prefixes of refusal codes to fields. */
  readonly problemFields?: Readonly<Record<string, string>>
  readonly run: (input: {
    readonly ctx: ContextAfter<readonly [typeof inBrowser, typeof inSession, ...Rs]>
    readonly params: PathParams<Path, Params & ParamsOfAll<Rs>>
    readonly body: Static<TObject<Fields>>
    readonly call: Call
  }) => Promise<ActResult>
}

/** Declares what a form of a page does. It ends with a redirect to a page. */
export function act<
  const Path extends string,
  const Rs extends readonly AnyRequirement[],
  Params extends { readonly [Name in ParamNames<Path>]?: Schema } = Readonly<Record<never, never>>,
  Fields extends Schemas = Record<never, never>,
>(
  declaration: ActDeclaration<Path, Rs, Params, Fields> &
    /** The page with the form; it is shown again with the problem and what was sent. Without it there is an error page. */
    SaysWhereAgain<Fields, Again<Rs, PathParams<Path, Params & ParamsOfAll<Rs>>>>,
): TwinOperation {
  const { path, requires, problemFields = {} } = declaration
  const again = declaration.again === nothingTyped ? undefined : declaration.again
  const isTyped = declaration.again !== undefined && again !== undefined
  if (typeof again === 'object' && again.cost === 'expensive' && declaration.cost !== 'expensive') {
    throw new Error(`${path}: a refusal shows its page, so its cost is 'expensive' too`)
  }
  const fields = declaration.fields ?? ({} as Fields)
  const { againQuery = [] } = declaration
  const againQueryOf = (body: Readonly<Record<string, unknown>>) =>
    typeof againQuery === 'function' ? againQuery(body as Static<TObject<Fields>>) : pick(body, againQuery)
  const run = async (sent: {
    readonly ctx: object
    readonly params: unknown
    readonly body: unknown
    readonly call: Call
  }): Promise<Reply<303, undefined> | StreamReply<number>> => {
    const known = sent.ctx as BrowserCtx & SignedInCtx
    const found = await recentSignInFor(declaration.recentSignIn, known, sent.call, sent.body as Sent)
    if ('confirmation' in found) return found.confirmation
    const { ctx } = found
    const input = { ...sent, ctx }
    try {
      const {
        to,
        notice,
        warning,
        undo,
        cookies = [],
        headers = {},
        parts,
      } = await runOnceAt(input, async () => {
        if (declaration.edits) await refuseCrossed(input as Parameters<typeof refuseCrossed>[0])
        return declaration.run(input as unknown as Parameters<typeof declaration.run>[0])
      })
      input.call.cookies.push(...cookies)
      if (parts !== undefined && declaration.answersParts && input.call.headers.accept?.includes(partsType)) {
        return sendParts(ctx, input.call, parts)
      }
      const text = warning ?? notice
      if (text !== undefined) {
        input.call.cookies.push(noticeCookie(ctx.config, text, warning === undefined ? 'done' : 'warning'))
      }
      const undoing = undo && undoCookie(ctx, undo)
      if (undoing !== undefined) input.call.cookies.push(undoing)
      return empty(303, { location: siteHref(ctx.config, to), ...headers })
    } catch (error) {
      if (!(error instanceof Refusal) || again === undefined || !mayShowAgain(error)) throw error
      const shown = typeof again === 'function' ? await again(input as unknown as Parameters<typeof again>[0]) : again
      if (shown === undefined || !(await findsSlot(shown, input.call))) {
        return sendTexts(error, ctx, input.call, input.body)
      }
      const field = fieldOf(error, problemFields)
      return shown.showAgain({
        ctx,
        params: input.params as Readonly<Record<string, unknown>>,
        query: againQueryOf(input.body as Readonly<Record<string, unknown>>),
        call: input.call,
        status: error.status,
        refused: {
          action: actionOf(input.call),
          status: error.status,
          problem: { field, ...explained(error, ctx.viewer, field) },
          values: input.body as Readonly<Record<string, unknown>>,
          ...(error instanceof CrossedEditRefusal ? error.crossed : {}),
        },
      })
    }
  }
  /** Runs the act, once for the key of the form if it has one. */
  async function runOnceAt(
    { ctx, call, body }: { readonly ctx: SignedInCtx; readonly call: Call; readonly body: unknown },
    act: () => Promise<ActResult>,
  ): Promise<ActResult> {
    if (declaration.answersParts) return act()
    return runOnce(ctx, async (begin) => {
      await begin(sentFormOf(call, body as Sent))
      const result = await act()
      const { notice, warning, cookies = [] } = result
      // What an answer shows once is kept nowhere, so the second answer says that it is lost.
      return { ...result, repeated: warning ?? notice ?? (cookies.length > 0 ? shellTexts.answerLost : undefined) }
    })
  }
  /** Throws when the form would overwrite what somebody else wrote since it was shown. */
  async function refuseCrossed(input: {
    readonly ctx: BrowserCtx
    readonly params: Readonly<Record<string, unknown>>
    readonly body: Readonly<Record<string, unknown>>
    readonly call: Call
  }): Promise<void> {
    const { ctx, params, body, call } = input
    if (body[versionName] === undefined || again === undefined) return
    const shown = typeof again === 'function' ? await again(input as unknown as Parameters<typeof again>[0]) : again
    const query = againQueryOf(body)
    if (shown !== undefined) await takeSlotFor(shown, call)
    const stored = await shown?.storedFields({ ctx, params, query, call, action: actionOf(call) })
    const crossed = stored && crossedEdit(body, stored, Object.keys(fields))
    if (crossed) throw new CrossedEditRefusal(crossed)
  }
  const declared = operation({
    ...shared,
    method: 'POST',
    path: path,
    requires: [inBrowser, inSession, ...requires, validBody, ownForm] as unknown as readonly [
      AnyRequirement,
      ...AnyRequirement[],
    ],
    params: declaration.params,
    body: requestObject('Form', {
      ...fields,
      ...(declaration.recentSignIn === undefined ? {} : confirmationFields),
      [csrfName]: Type.Optional(Type.String()),
      ...(declaration.edits ? { [versionName]: Type.Optional(Type.String()) } : {}),
      [onceName]: Type.Optional(Type.String({ minLength: 20, maxLength: 60 })),
    }),
    outlivesCredential: declaration.outlivesCredential,
    maxBodyBytes: declaration.maxBodyBytes,
    cost: declaration.cost,
    reply: declaration.answersParts ? { ...actReplies, 200: bytesOf(partsType) } : actReplies,
    run: async (input) => run(input as Parameters<typeof run>[0]) as Promise<Reply<303, undefined>>,
  })
  return {
    ...declared,
    twin: declaration.twin,
    edits: declaration.edits,
    recentSignIn: declaration.recentSignIn,
    keepsTexts: isTyped,
    afterRefusal: (refusal, call) => answerRefused(refusal, call, isTyped),
  }
}

/** Takes a slot for a page that costs more than the form that it shows: comments of issues and pull requests are one form. */
async function takeSlotFor(shown: Page, call: Call): Promise<void> {
  if (shown.cost !== 'expensive') return
  await call.takeSlot()
  Object.assign(requestOrigin() ?? {}, { hasSlot: true })
}

/** Whether a refused form can be shown on its page: there is a slot for it. */
async function findsSlot(shown: Page, call: Call): Promise<boolean> {
  try {
    await takeSlotFor(shown, call)
    return true
  } catch (error) {
    if (error instanceof Unavailable) return false
    throw error
  }
}

/** Returns the error page of a refused form with the texts that were sent. */
function sendTexts(refusal: Refusal, ctx: BrowserCtx, call: Call, values: unknown): Promise<StreamReply<number>> {
  return sendPage(ctx, call, {
    meta: { title: errorHeading(refusal), isUnlisted: true },
    content: <ErrorContent refusal={refusal} call={call as RefusedCall} />,
    status: refusal.status,
    refused: { action: actionOf(call), values: values as Readonly<Record<string, unknown>> },
    headers: unkept,
  })
}

/**
 * Answers a form that a requirement refused, such as one of a repository that was archived meanwhile: with its texts, or as before
 * when it was sent before, such as one that deleted what the requirement looks for.
 */
async function answerRefused(
  refusal: Refusal,
  call: Call,
  isTyped: boolean,
): Promise<StreamReply<number> | Reply<303, undefined> | undefined> {
  const ctx = contextOf(call)
  // Another site may not put words on a page of this one.
  if (!ctx?.viewer || !isFromHere(ctx.config.server.rootUrl, call)) return undefined
  let values: unknown
  try {
    values = await call.decodedBody()
  } catch (error) {
    // What cannot be read cannot be shown; the refusal says why.
    if (error instanceof Refusal) return undefined
    throw error
  }
  const form = sentFormOf(call, values as Sent)
  const before = form && (await findOutcome({ ...ctx, viewer: ctx.viewer }, form))
  if (before) return redirectTo(ctx, call, before)
  return isTyped && mayShowAgain(refusal) ? sendTexts(refusal, ctx, call, values) : undefined
}

/** Returns a form with its key; undefined: it has none. */
export function sentFormOf(call: Pick<Call, 'url'>, body: Sent): SentForm | undefined {
  const { [onceName]: key, [csrfName]: _csrf, ...values } = body
  return typeof key === 'string' && /^[\w-]{20,60}$/.test(key)
    ? { key, values: { ...values, url: call.url } }
    : undefined
}

const actionOf = (call: Call): string => call.url.split('?', 1)[0] ?? ''

/** Refuses a form that would overwrite the edit of somebody else. */
class CrossedEditRefusal extends Conflict {
  readonly crossed: CrossedEdit

  constructor(crossed: CrossedEdit) {
    super(shellTexts.crossedEdit, 'edited_meanwhile')
    this.crossed = crossed
  }
}

const pick = (values: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])))

/** Whether what was sent can be corrected on the page of the form. */
const mayShowAgain = (refusal: Refusal): boolean =>
  isAgainStatus(refusal.status) &&
  !(refusal instanceof NotFound || refusal instanceof Unauthenticated || refusal instanceof Unavailable)

/** Returns the field of a form that a refusal is about. @param fields fields by the beginnings of codes */
export function fieldOf(refusal: Refusal, fields: Readonly<Record<string, string>>): string | undefined {
  const byCode = Object.entries(fields).find(([code]) => refusal.code.startsWith(code))?.[1]
  if (byCode !== undefined) return byCode
  const { field } = refusal.data
  return refusal instanceof Invalid && typeof field === 'string' && field !== '' ? field : undefined
}
