import { closeSync, fdatasync, openSync } from 'node:fs'
import { Unavailable } from '../lib/errors.ts'

/**
 * Makes commits of an SQLite database durable. Concurrent commits share one sync (group commit).
 *
 * A commit appends to the write-ahead log, and readers see it at once. It is durable after a sync of the log, which takes
 * milliseconds. With `synchronous = NORMAL` SQLite syncs only at checkpoints, so a commit does not block the event loop.
 * The committer waits for a sync in the thread pool instead. Commits that arrive during a sync share the next one. A sync
 * covers everything appended before it started, so the data that a transaction read is durable no later than its writes.
 *
 * A checkpoint does not lose commits: SQLite syncs the log before it copies pages, and syncs the database file before it
 * resets the log. The log file exists as long as a connection is open. SQLite holds no locks on the log file, so this
 * class can open and close its own descriptor; closing one of the database file would release SQLite's locks.
 */
export class WalSync {
  readonly #path: string
  #descriptor: number | undefined
  /** Counts of all commits, of commits covered by the running sync, and of durable commits. */
  #committed = 0
  #covered = 0
  #lasting = 0
  #running: Promise<void> | undefined
  /** Whether the pending sync has not started and will cover later commits. */
  #isGathering = false
  #next: Promise<void> | undefined
  #failure: unknown

  /** @param path the log file: the database file name and `-wal`; it exists after the first commit */
  constructor(path: string) {
    this.#path = path
  }

  /** Records a commit. */
  committed(): void {
    this.#committed += 1
  }

  /**
   * Resolves when all previous commits are durable.
   * @throws Unavailable when the disk fails. Readers see the commit, but the caller must not acknowledge it.
   */
  async lasting(): Promise<void> {
    if (this.#lasting === this.#committed) return
    if (!this.#running) return this.#begin()
    if (this.#isGathering || this.#covered === this.#committed) return this.#running
    const begin = (): Promise<void> => this.#begin()
    this.#next ??= this.#running.then(begin, begin)
    return this.#next
  }

  #begin(): Promise<void> {
    this.#next = undefined
    const running = this.#flush().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }

  async #flush(): Promise<void> {
    // Requests of one turn of the event loop share one sync.
    this.#isGathering = true
    await new Promise((resolve) => setImmediate(resolve))
    this.#isGathering = false
    const upTo = this.#committed
    this.#covered = upTo
    // After a failed sync the system may drop dirty pages, so a later successful sync would prove nothing.
    if (this.#failure !== undefined) throw lost(this.#failure)
    this.#descriptor ??= openSync(this.#path, 'r+')
    const descriptor = this.#descriptor
    await new Promise<void>((resolve, reject) => {
      fdatasync(descriptor, (error) => {
        if (!error) return resolve()
        this.#failure = error
        reject(lost(error))
      })
    })
    this.#lasting = upTo
  }

  /** Waits for the last sync. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#running, this.#next])
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }
}

const lost = (cause: unknown): Unavailable =>
  Object.assign(new Unavailable('the disk of the database fails', 'database_disk_failed'), { cause })
