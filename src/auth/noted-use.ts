import { transaction, type Db, type Tx } from '../db/database.ts'
import type { Log } from '../lib/log.ts'
import { nowUnix, type Clock, type Unix } from '../lib/time.ts'

/** How often what was noted is written, in milliseconds. The last use is exact to this. */
const flushEveryMs = 60_000

/**
 * Notes when tokens, or sessions, were last used, in memory, and writes it once a minute for all of them: a reading request
 * never writes. What was noted since the last flush is lost when the process is killed.
 */
export class NotedUse<Id> {
  readonly #used = new Map<Id, Unix>()
  readonly #timer: NodeJS.Timeout

  constructor(
    readonly db: Db,
    readonly clock: Clock,
    readonly log: Log,
    /** Whose use it is, in the plural. */
    readonly what: string,
    /** Writes one moment for several of them. */
    readonly write: (tx: Tx, ids: readonly Id[], usedUnix: Unix) => Promise<unknown>,
  ) {
    this.#timer = setInterval(() => {
      // The next flush tries again; nothing depends on the time of last use.
      this.flush().catch((error: unknown) => log('warn', `the last use of ${what} could not be written`, { error }))
    }, flushEveryMs)
    this.#timer.unref()
  }

  note(id: Id): void {
    this.#used.set(id, nowUnix(this.clock))
  }

  async flush(): Promise<void> {
    if (this.#used.size === 0) return
    const used = [...this.#used]
    this.#used.clear()
    const byTime = Map.groupBy(used, ([, unix]) => unix)
    try {
      await transaction(this.db, async (tx) => {
        for (const [unix, noted] of byTime) {
          const ids = noted.map(([id]) => id)
          await this.write(tx, ids, unix)
        }
      })
    } catch (error) {
      for (const [id, unix] of used) if (!this.#used.has(id)) this.#used.set(id, unix)
      throw error
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }
}
