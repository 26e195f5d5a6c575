import { AsyncLocalStorage } from 'node:async_hooks'
import type { GitContext } from '../context.ts'
import type { GitKey } from '../git-key.ts'
import { using } from './copy-uses.ts'
import { exists, maintain } from './repository.ts'

/**
 * Writes bitmaps of large copies, from which clones gain. Each machine makes its own: that costs about as much as one clone
 * without it, and a bitmap in the storage would have to follow each join of packs.
 */
export class CopyBitmaps {
  readonly #context: GitContext
  readonly #running = new Map<GitKey, Promise<void>>()
  /** Requests do not pay for it. */
  readonly #apart = AsyncLocalStorage.snapshot()

  constructor(context: GitContext) {
    this.#context = context
  }

  /** Called when a copy was brought up: git chooses commits for the bitmap by the references. */
  afterChange(key: GitKey): void {
    if (this.#context.home.isElsewhere && !this.#running.has(key)) this.#running.set(key, this.#apart(() => this.#write(key)))
  }

  async #write(key: GitKey): Promise<void> {
    const context = this.#context
    try {
      await using(context, [key], async () => {
        if (exists(context, key)) await maintain(context, key, ['bitmap'])
      })
    } catch (error) {
      // Clones walk the history without it, and the next change tries again.
      if (exists(context, key)) context.log('warn', 'the bitmap of a copy was not written', { key, error: String(error) })
    } finally {
      this.#running.delete(key)
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#running.values())
  }
}
