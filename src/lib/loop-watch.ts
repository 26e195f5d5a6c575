import { performance } from 'node:perf_hooks'

/** A period in which the event loop was blocked. */
export interface LoopStall {
  /** Duration, in milliseconds. */
  readonly ms: number
  /** Processor time of this thread within it, in milliseconds; in the rest the thread was not scheduled. */
  readonly workedMs: number
}

/** Sampling interval, in milliseconds. */
const lookMs = 100

/**
 * Reports each time the event loop of this thread is blocked for longer than `stallMs`.
 * @returns a function that stops the watch
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

/** Returns the processor time of this thread, in milliseconds. */
export function workedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
