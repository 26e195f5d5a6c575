import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How long after the start the program is taken to be idle, in milliseconds. */
const settledMs = 10_000

/**
 * Gives the garbage of loading back to the system once, shortly after the start: an idle forge allocates so little that
 * V8 would keep it for hours. It costs one pause of a tenth of a second and gives back some eight megabytes.
 */
export function trimMemorySoon(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as (options: { type: 'major'; flavor: 'last-resort' }) => void
    collect({ type: 'major', flavor: 'last-resort' })
  }, settledMs).unref()
}
