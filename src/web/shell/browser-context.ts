import type { Ctx } from '../../access/context.ts'
import type { SessionId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** A browser with its session, if any, and the value for its forms. */
export interface BrowserCtx extends Ctx {
  readonly sessionId: SessionId | undefined
  /** Time of the interactive sign-in; undefined when unknown. */
  readonly signedInUnix: Unix | undefined
  readonly csrf: string
}

/**
 * The context of requests for pages, so that a refusal is shown with the navigation of the person who asked. An
 * entry ends with its request.
 */
const contexts = new WeakMap<object, BrowserCtx>()

export const rememberContext = (call: object, ctx: BrowserCtx): void => void contexts.set(call, ctx)

/** Returns the context of a call that passed `inBrowser`. */
export const contextOf = (call: object): BrowserCtx | undefined => contexts.get(call)
