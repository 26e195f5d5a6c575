import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { GitContext } from '../context.ts'
import type { GitKey } from '../git-key.ts'
import { using } from './copy-uses.ts'
import { maintain } from './maintenance.ts'
import { exists } from './repository.ts'

/** Time after which a bitmap is written, so that the reader who waited for the copy goes first, in milliseconds. */
const delayMs = 3000

/**
 * Writes bitmaps of large copies, from which clones gain. Each machine makes its own: that costs about as much as one clone
 * without it, and a bitmap in the storage would have to follow each join of packs.
 */
export class CopyBitmaps {
  readonly #context: GitContext
  readonly #running = new Map<GitKey, Promise<void>>()
  readonly #closing = new AbortController()
  /** Requests do not pay for it. */
  readonly #apart = AsyncLocalStorage.snapshot()

  constructor(context: GitContext) {
    this.#context = context
  }

  /** Called when a copy was brought up: git chooses commits for the bitmap by the references. */
  afterChange(key: GitKey): void {
    if (!this.#context.home.isElsewhere || this.#running.has(key)) return
    const work = this.#apart(() => this.#write(key))
    this.#running.set(key, work)
  }

  async #write(key: GitKey): Promise<void> {
    const context = this.#context
    const { signal } = this.#closing
    try {
      await wait(delayMs, undefined, { signal, ref: false })
      await using(context, [key], async () => {
        if (exists(context, key)) await maintain(context, key, ['bitmap'])
      })
    } catch (error) {
      // Clones walk the history without it, and the next change tries again.
      if (signal.aborted || !exists(context, key)) return
      context.log('warn', 'the bitmap of a copy was not written', { key, error: String(error) })
    } finally {
      this.#running.delete(key)
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#running.values())
  }
}
