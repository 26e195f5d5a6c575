import { basename } from 'node:path'
import { isGitKey, type GitKey } from '../git-key.ts'

/**
 * Waits between the sweeps of one repository, in milliseconds. A killed process disappears a moment after its end is
 * known, and an older process of the repository keeps the files undecided until it ends.
 */
const waitsMs = [0, 250, 1000, 5000, 20_000, 60_000, 300_000]

/**
 * Removes temporary files of git soon after their process was killed: the end of a quarantine is the end of its process.
 * The scheduled task finds what a killed server left.
 */
export class Sweeps {
  readonly #sweepOne: (key: GitKey) => Promise<boolean>
  readonly #timers = new Map<GitKey, NodeJS.Timeout>()
  readonly #rounds = new Map<GitKey, number>()
  /** Sweeps under way; `close` waits for them. */
  readonly #running = new Set<Promise<void>>()
  #isClosed = false

  /** @param sweepOne removes abandoned files of a repository; returns whether no temporary file is left. Must not throw. */
  constructor(sweepOne: (key: GitKey) => Promise<boolean>) {
    this.#sweepOne = sweepOne
  }

  /** Notes a command that may have left files in its folder. */
  after(folder: string): void {
    const key = basename(folder, '.git')
    if (!isGitKey(key) || this.#isClosed) return
    this.#rounds.set(key, 0)
    this.#plan(key)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
    await Promise.all(this.#running)
  }

  #plan(key: GitKey): void {
    clearTimeout(this.#timers.get(key))
    const round = this.#rounds.get(key) ?? 0
    const waitMs = waitsMs[Math.min(round, waitsMs.length - 1)] as number
    this.#timers.set(
      key,
      setTimeout(() => {
        this.#timers.delete(key)
        this.#rounds.set(key, round + 1)
        const sweep = this.#sweep(key)
        this.#running.add(sweep)
        void sweep.finally(() => this.#running.delete(sweep))
      }, waitMs).unref(),
    )
  }

  async #sweep(key: GitKey): Promise<void> {
    const isClean = await this.#sweepOne(key)
    if (this.#timers.has(key) || this.#isClosed) return
    if (isClean) this.#rounds.delete(key)
    else this.#plan(key)
  }
}
