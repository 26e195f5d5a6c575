import type { UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

/** Who does something to an issue, and when it counts as done: at a time that the caller gave, or now. */
export interface Attribution {
  readonly doerId: UserId
  readonly atUnix: Unix
  /** True when the caller named the time (`updated_at`, contract E3). */
  readonly isDated: boolean
}
