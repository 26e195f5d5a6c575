const secondMs = 1000
const hourMs = 3600 * secondMs

/** Longest wait between two tries of a server. */
const longestWaitMs = 6 * hourMs

/** How long something is tried to be sent to a server that is away. */
export const giveUpAfterMs = 3 * 24 * hourMs

/**
 * How long a server is left alone after so many failures in a row: 10 s, 20 s, 40 s … up to six hours, a quarter shorter or
 * longer so that what failed together spreads out.
 * @param chance from 0 to 1
 */
export const serverWaitMs = (failures: number, chance: number): number =>
  Math.round(Math.min(10 * secondMs * 2 ** Math.min(failures - 1, 20), longestWaitMs) * (0.75 + chance / 2))

/** How often an activity is sent that is refused in a way that may pass. */
export const maxAttempts = 7

/** How long it waits in between: 2 s, 8 s, 32 s … half an hour. */
export const refusalWaitMs = (attempts: number): number => 2 * secondMs * 4 ** (attempts - 1)

/**
 * What an answer to an activity means: it was taken; it will not be taken, and is not sent again; its server is not well; or
 * the signature is not believed: it may need another form, or our key was not to be had at that moment.
 */
export type DeliveryEnd = 'taken' | 'refused' | 'down' | 'unsigned'

export function endOf(status: number): DeliveryEnd {
  if (status >= 200 && status < 300) return 'taken'
  if (status === 400 || status === 401 || status === 403) return 'unsigned'
  return status >= 500 || status === 408 || status === 429 ? 'down' : 'refused'
}
