import { Forbidden } from './errors.ts'

/** What a policy answers: allowed, or denied for a reason that may be shown to the caller. */
export type Verdict = { readonly allowed: true } | { readonly allowed: false; readonly reason: string }

export const allow: Verdict = { allowed: true }
export const deny = (reason: string): Verdict => ({ allowed: false, reason })

/** ConcurrencyLimit a denial into `Forbidden` (403) with the policy's reason. */
export function must(verdict: Verdict): void {
  if (!verdict.allowed) throw new Forbidden(verdict.reason)
}
