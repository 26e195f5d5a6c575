import { Forbidden } from './errors.ts'

/** The result of a policy: allowed, or denied with a stable code in snake_case and a reason, both for the caller. */
export type Verdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly code: string; readonly reason: string }

export const allow: Verdict = { allowed: true }
export const deny = (code: string, reason: string): Verdict => ({ allowed: false, code, reason })

/** Throws `Forbidden` (403) with the code and the reason of a denial. */
export function must(verdict: Verdict): void {
  if (!verdict.allowed) throw new Forbidden(verdict.reason, verdict.code)
}
