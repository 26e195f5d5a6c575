import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Time between two measurements of processor time, in milliseconds. */
const lookEveryMs = 10_000
/** Processor time per interval below which the program is idle, in microseconds. */
const quietMicros = 150_000
/** Processor time per interval below which a pause of 0.1 s is acceptable when it frees much, in microseconds. */
const calmMicros = 1_000_000
/** Growth since the last collection that justifies such a pause, in bytes. */
const worthBytes = 48 << 20
/** Processor time between two collections, in microseconds: without work there is nothing to collect. */
const workMicros = 1_000_000

/**
 * Returns memory to the system after ten idle seconds. An idle server allocates so little that V8 would keep the garbage of
 * the start, or of a burst, for hours. A collection pauses the program for about 0.1 s. It also writes the compile cache.
 * @param freeMemory frees other memory before the collection; must not throw
 */
export function trimMemoryWhenQuiet(freeMemory: () => void): void {
  setFlagsFromString('--expose-gc')
  // Drops bytecode that did not run since the last full collection, because most code runs only at the start.
  setFlagsFromString('--bytecode-old-age=1')
  const collect = runInNewContext('gc') as (options: { type: 'major'; flavor: 'last-resort' }) => void
  const usedMicros = () => {
    const { user, system } = process.cpuUsage()
    return user + system
  }
  let seen = usedMicros()
  // Makes the first idle interval after the start collect.
  let atLastTrim = -workMicros
  let bytesAfterTrim = Number.POSITIVE_INFINITY
  setInterval(() => {
    const used = usedMicros()
    const micros = used - seen
    seen = used
    const isCalm = () => micros <= calmMicros && process.memoryUsage.rss() - bytesAfterTrim >= worthBytes
    if (used - atLastTrim < workMicros || !(micros <= quietMicros || isCalm())) return
    freeMemory()
    collect({ type: 'major', flavor: 'last-resort' })
    // Otherwise only an orderly exit writes the compile cache.
    flushCompileCache()
    seen = atLastTrim = usedMicros()
    bytesAfterTrim = process.memoryUsage.rss()
  }, lookEveryMs).unref()
}
