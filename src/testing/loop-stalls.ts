import { workedMs } from '../lib/loop-watch.ts'

/**
 * Measures the longest time that `run` blocks the event loop, in milliseconds of this thread's processor time, so that
 * a busy machine does not count.
 * @returns the longest block
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
    // Garbage collection of its objects counts too.
    await new Promise((resolve) => setTimeout(resolve, 20))
  } finally {
    clearInterval(timer)
  }
  return longest
}
