import { Forbidden } from './errors.ts'

/** The result of a policy: allowed, or denied with a reason for the caller. */
export type Verdict = { readonly allowed: true } | { readonly allowed: false; readonly reason: string }

export const allow: Verdict = { allowed: true }
export const deny = (reason: string): Verdict => ({ allowed: false, reason })

/** Throws `Forbidden` (403) with the reason of a denial. */
export function must(verdict: Verdict): void {
  if (!verdict.allowed) throw new Forbidden(verdict.reason)
}
