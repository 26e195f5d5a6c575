const secondMs = 1000
const hourMs = 3600 * secondMs

/** Longest back-off of a server. */
const maxWaitMs = 6 * hourMs

/** How long an activity is retried while its server is down. */
export const giveUpAfterMs = 3 * 24 * hourMs

/**
 * Returns the back-off of a server after consecutive failures: 10 s, 20 s, 40 s … up to 6 h, with a jitter of 25 %.
 * @param jitter a random number from 0 to 1
 */
export const serverWaitMs = (failures: number, jitter: number): number =>
  Math.round(Math.min(10 * secondMs * 2 ** Math.min(failures - 1, 20), maxWaitMs) * (0.75 + jitter / 2))

/** Most attempts for an activity whose signature the server does not accept. */
export const maxAttempts = 7

/** Returns the wait between these attempts: 2 s, 8 s, 32 s … 34 min. */
export const refusalWaitMs = (attempts: number): number => 2 * secondMs * 4 ** (attempts - 1)

/**
 * The meaning of an answer. `refused`: the activity is not sent again. `down`: the server fails. `unsigned`: the server does not
 * accept the signature, because of its form or because it could not fetch our key.
 */
export type DeliveryResult = 'accepted' | 'refused' | 'down' | 'unsigned'

export function resultOf(status: number): DeliveryResult {
  if (status >= 200 && status < 300) return 'accepted'
  if (status === 400 || status === 401 || status === 403) return 'unsigned'
  return status >= 500 || status === 408 || status === 429 ? 'down' : 'refused'
}
