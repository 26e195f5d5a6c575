import { performance } from 'node:perf_hooks'

/** One time in which the event loop did not come round. */
export interface LoopStall {
  /** How long, in milliseconds. */
  readonly ms: number
  /** How much of it this thread worked, in milliseconds; the rest it waited for the machine or was stopped. */
  readonly workedMs: number
}

/** Between two looks, in milliseconds: ten looks a second cost a fiftieth of a percent of a processor. */
const lookMs = 100

/**
 * Watches the event loop of this thread: whoever makes everybody else wait for longer than `stallMs` is told of.
 * @returns ends the watch
 */
export function watchLoop(stallMs: number, onStall: (stall: LoopStall) => void): () => void {
  let last = performance.now()
  let worked = workedMs()
  const timer = setInterval(() => {
    const now = performance.now()
    const nowWorked = workedMs()
    const ms = now - last - lookMs
    if (ms > stallMs) onStall({ ms, workedMs: nowWorked - worked })
    last = now
    worked = nowWorked
  }, lookMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Processor time of this thread so far, in milliseconds. */
export function workedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
