import { transaction, type Db, type Tx } from '../db/database.ts'
import type { Log } from '../lib/log.ts'
import { nowUnix, type Clock, type Unix } from '../lib/time.ts'

/** Time between two writes, in milliseconds, and the precision of the last use. */
const flushEveryMs = 60_000

/**
 * Keeps the last use of tokens or sessions in memory and writes it once a minute, so that a read request never writes.
 * A killed process loses the uses since the last write.
 */
export class NotedUse<Id> {
  readonly #used = new Map<Id, Unix>()
  readonly #timer: NodeJS.Timeout

  constructor(
    readonly db: Db,
    readonly clock: Clock,
    readonly log: Log,
    /** Name of what is used, in the plural, for the log. */
    readonly what: string,
    /** Writes one time of use for several ids. */
    readonly write: (tx: Tx, ids: readonly Id[], usedUnix: Unix) => Promise<unknown>,
  ) {
    this.#timer = setInterval(() => {
      // The next flush retries; nothing depends on the exact time of last use.
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
