import type { AnyRequirement, ContextAfter } from '../../http/operation.ts'
import type { inBrowser, inSession } from '../shell/browser.requirements.ts'

/** The context of a signed-in person after the requirements of a holder. */
export type HolderCtx<Rs extends readonly AnyRequirement[] = readonly AnyRequirement[]> = ContextAfter<
  readonly [typeof inBrowser, typeof inSession, ...Rs]
>
