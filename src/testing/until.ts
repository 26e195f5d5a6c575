import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until a condition holds; fails after twenty seconds. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = 'what the test waits for',
): Promise<void> {
  for (const start = performance.now(); performance.now() - start < 20_000; await sleep(5)) {
    if (await condition()) return
  }
  throw new Error(`not seen within twenty seconds: ${what}`)
}
