import type { UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

/** The account that changes an issue, and the time of the change: the one that the request names, or now. */
export interface Attribution {
  readonly doerId: UserId
  readonly atUnix: Unix
  /** True when the caller named the time (`updated_at`, contract E3). */
  readonly isDated: boolean
}
