import type { AnyRequirement, ContextAfter, Scope } from '../http/operation.ts'
import type { anyone } from './requirements.ts'

/**
 * What several kinds of owners have alike: webhooks, for example, belong to a repository, an organization, an account or
 * the instance. A function declares their operations once; each holder states its address and its checks.
 */
export interface Holder<Rs extends readonly AnyRequirement[], Owner> {
  /** Address below which the operations are. */
  readonly path: string
  readonly scope: Scope | readonly Scope[]
  /** Checked from left to right before each operation. */
  readonly requires: Rs
  readonly ownerOf: (ctx: ContextAfter<Rs>) => Owner
}

/** A holder as the shared operations know it: of its context they use what each request has. */
export type AnyHolder<Owner> = Holder<readonly [typeof anyone], Owner>

/** Returns the holder without its type of context; its operations check all its requirements, which supply that context. */
export const anyHolder = <Rs extends readonly AnyRequirement[], Owner>(holder: Holder<Rs, Owner>): AnyHolder<Owner> =>
  holder as unknown as AnyHolder<Owner>
