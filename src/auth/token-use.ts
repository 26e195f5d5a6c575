import { transaction, type Db } from '../db/database.ts'
import type { TokenId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { nowUnix, type Clock, type Unix } from '../lib/time.ts'
import { updateTokensUsed } from './token.store.ts'

/** How often what was noted is written, in milliseconds. A token's last use is exact to this. */
const flushEveryMs = 60_000

/**
 * Notes when tokens were last used, in memory, and writes it once a minute for all of them: a reading request never
 * writes. What was noted since the last flush is lost when the process is killed.
 */
export class TokenUse {
  readonly #used = new Map<TokenId, Unix>()
  readonly #timer: NodeJS.Timeout

  constructor(
    readonly db: Db,
    readonly clock: Clock,
    readonly log: Log,
  ) {
    this.#timer = setInterval(() => {
      // The next flush tries again; nothing depends on the time of last use.
      this.flush().catch((error: unknown) => log('warn', 'the last use of tokens could not be written', { error }))
    }, flushEveryMs)
    this.#timer.unref()
  }

  note(id: TokenId): void {
    this.#used.set(id, nowUnix(this.clock))
  }

  async flush(): Promise<void> {
    if (this.#used.size === 0) return
    const used = [...this.#used]
    this.#used.clear()
    const byTime = Map.groupBy(used, ([, unix]) => unix)
    try {
      await transaction(this.db, async (tx) => {
        for (const [unix, tokens] of byTime) {
          const ids = tokens.map(([id]) => id)
          await updateTokensUsed(tx, ids, unix)
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
