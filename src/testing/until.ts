import { setTimeout as sleep } from 'node:timers/promises'

/** Less than a test may take, so that the failure says what is missing. A busy machine needs most of it. */
const longestMs = 250_000

/** Waits until a condition holds. It is looked at ever less often, because a look may cost a request or a process. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = 'what the test waits for',
): Promise<void> {
  const start = performance.now()
  for (let waitedMs = 0; waitedMs < longestMs; waitedMs = performance.now() - start) {
    if (await condition()) return
    await sleep(Math.max(5, waitedMs / 20))
  }
  throw new Error(`not seen within ${longestMs / 1000} seconds: ${what}`)
}
