import { workedMs } from '../lib/loop-watch.ts'

/**
 * Measures how long this thread works without coming back to its loop, in milliseconds of its own processor time: a
 * busy machine, which lets the thread wait, does not count.
 * @returns the longest such time while `run` ran
 */
export async function longestStall(run: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let last = workedMs()
  const look = (): void => {
    const now = workedMs()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, 5)
  try {
    await run()
    // What is still to be collected of its objects belongs to it.
    await new Promise((resolve) => setTimeout(resolve, 20))
  } finally {
    clearInterval(timer)
  }
  return longest
}
