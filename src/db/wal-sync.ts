import { closeSync, fdatasync, openSync } from 'node:fs'
import { Unavailable } from '../lib/errors.ts'

/**
 * Makes commits of an embedded database last through a cut of power, several of them with one sync.
 *
 * A commit appends to the write-ahead log and is seen by readers at once; it is on the disk when the log has been synced.
 * That takes milliseconds, in which the thread would stand still, so the database itself syncs at checkpoints only
 * (`synchronous = NORMAL`), and who committed waits here for a sync of the log in the thread pool. Of commits that come
 * while one is under way, all wait for the next. It covers what was appended before it began, so whatever a transaction
 * has read is at least as safe as what it wrote.
 *
 * A checkpoint in between takes nothing away: it syncs the log before it copies pages, and the pages before the log
 * begins anew. The log keeps its file as long as a connection is open, and no lock of the database lies on that file, so
 * a descriptor of our own does no harm (closing one of the database file itself would drop its locks).
 */
export class WalSync {
  readonly #path: string
  #descriptor: number | undefined
  /** Commits so far, those that the sync under way covers, and those that are on the disk. */
  #committed = 0
  #covered = 0
  #lasting = 0
  #running: Promise<void> | undefined
  /** Whether the pending sync has not started and will cover later commits. */
  #isGathering = false
  #next: Promise<void> | undefined
  #failure: unknown

  /**
   * @param path the log file: the name of the database and `-wal`; it exists after the first commit
   *  @param path the log: the name of the database and `-wal`; it is there once something was committed
   */
  constructor(path: string) {
    this.#path = path
  }

  /** Records a commit. */
  committed(): void {
    this.#committed += 1
  }

  /**
   * Resolves when all previous commits are on disk.
   * @throws Unavailable when the disk fails: the commit stands, but nobody may be told so
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
