import type { GitContext } from '../context.ts'
import { evictCopies } from './copy-uses.ts'

/** Shortest time between two measurements of all copies, in milliseconds. */
const pauseMs = 10_000

/** Keeps the copies within their budget after they have grown. */
export class Evictions {
  readonly #context: GitContext
  #running: Promise<void> | undefined
  #endedMs = -Infinity

  constructor(context: GitContext) {
    this.#context = context
  }

  afterGrowth(): void {
    const isSoon = performance.now() - this.#endedMs < Math.min(pauseMs, this.#context.copyBudget.idleMs)
    if (isSoon || this.#running) return
    this.#running = this.#run()
  }

  async #run(): Promise<void> {
    const { log } = this.#context
    try {
      const keys = await evictCopies(this.#context)
      if (keys.length > 0) log('info', 'copies of repositories were evicted', { copies: keys.length })
    } catch (error) {
      // The next growth tries again.
      log('error', 'copies of repositories were not evicted', { error: String(error) })
    } finally {
      this.#endedMs = performance.now()
      this.#running = undefined
    }
  }

  async close(): Promise<void> {
    await this.#running
  }
}
