import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How often is looked whether the program is quiet, in milliseconds. */
const lookEveryMs = 10_000
/** At most this much processor time in that while is quiet, in microseconds. */
const quietMicros = 150_000
/** The same for calm: a pause of a tenth of a second is borne, where it gives much back. */
const calmMicros = 1_000_000
/** Memory that makes it worth while when the program is calm, in bytes more than after the last time. */
const worthBytes = 48 << 20
/** Memory is given back again when this much work was done since, in microseconds of processor time. */
const workMicros = 1_000_000

/**
 * Gives memory back to the system whenever the program has been quiet for ten seconds after work, the first time after the
 * start: an idle forge allocates so little that V8 would keep the garbage of loading, and what it took for a rush, for
 * hours. After a rush that left much behind it does so as soon as there is no more than a little to do, since some programs are
 * never quiet. It costs one pause of a tenth of a second. What was compiled is kept for the next start then, too.
 * @param giveBack what else gives memory back, before it is collected; must not throw
 */
export function trimMemoryWhenQuiet(giveBack: () => void): void {
  setFlagsFromString('--expose-gc')
  // What was not run since the last full collection is dropped, and compiled again when it is: most code runs at the start.
  setFlagsFromString('--bytecode-old-age=1')
  const collect = runInNewContext('gc') as (options: { type: 'major'; flavor: 'last-resort' }) => void
  const usedMicros = () => {
    const { user, system } = process.cpuUsage()
    return user + system
  }
  let seen = usedMicros()
  // The start is work, however little processor time it took.
  let atLastTrim = -workMicros
  let bytesAfterTrim = Number.POSITIVE_INFINITY
  setInterval(() => {
    const used = usedMicros()
    const micros = used - seen
    seen = used
    const isCalm = () => micros <= calmMicros && process.memoryUsage.rss() - bytesAfterTrim >= worthBytes
    if (used - atLastTrim < workMicros || !(micros <= quietMicros || isCalm())) return
    giveBack()
    collect({ type: 'major', flavor: 'last-resort' })
    // Else only an orderly end of the program would keep what was compiled, for the next start.
    flushCompileCache()
    seen = atLastTrim = usedMicros()
    bytesAfterTrim = process.memoryUsage.rss()
  }, lookEveryMs).unref()
}
