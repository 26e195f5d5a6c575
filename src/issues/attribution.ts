import type { UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

/** Somebody does something to an issue: who, and the time that it counts as done (given by the caller, or now). */
export interface Attribution {
  readonly doerId: UserId
  readonly atUnix: Unix
  /** True when the caller named the time (`updated_at`, contract E3). */
  readonly isDated: boolean
}
