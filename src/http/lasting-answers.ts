import { Moved, Refusal } from '../lib/errors.ts'
import type { Call, RequestContext } from './operation.ts'

/**
 * Checks of answers that may outlive the credential or the rights of their request: event streams, and requests that wait
 * (`Operation.lasts`). The server registers each such answer. The answer is checked when an event says that rights may
 * have changed, and at the latest ten seconds after its last check. An answer whose request would be refused now ends. A
 * check that fails for another reason ends the answer as well, because nobody knows whether it is still allowed.
 */

/** A running reply. */
export interface LastingAnswer {
  readonly call: Call
  /** The context when the reply started. */
  readonly ctx: RequestContext
  /** Checks credential and rights again. */
  check(): Promise<void>
  /** Ends the answer. */
  end(reason: unknown): void
}

/** Maximum time between two checks of a reply, in milliseconds. */
const checkEveryMs = 10_000

/** Maximum number of concurrent checks, so that one change of rights leaves room for other requests. */
const maxConcurrentChecks = 8

export interface LastingOptions {
  /**
   * Subscribes to changes of rights, and calls `checkSoon` for each. It is subscribed while answers are under way.
   * @returns ends the subscription
   */
  subscribe(answers: LastingAnswers): () => void
  /** Receives the errors of checks that are not refusals. */
  failed(error: unknown, call: Call): void
}

interface Entry {
  readonly answer: LastingAnswer
  /** Makes the next check due. */
  timer: NodeJS.Timeout | undefined
}

export class LastingAnswers {
  readonly #open = new Set<Entry>()
  /** Entries whose check is due, in this order. */
  readonly #due = new Set<Entry>()
  readonly #options: LastingOptions
  #unsubscribe: (() => void) | undefined
  #checksRunning = 0

  constructor(options: LastingOptions) {
    this.#options = options
  }

  /** Registers an answer. @returns removes the answer, which has ended */
  register(answer: LastingAnswer): () => void {
    const entry: Entry = { answer, timer: undefined }
    this.#open.add(entry)
    this.#unsubscribe ??= this.#options.subscribe(this)
    this.#scheduleCheck(entry)
    return () => this.#remove(entry)
  }

  /** Checks now the answers that a change of rights may concern. */
  checkSoon(isConcerned: (answer: LastingAnswer) => boolean): void {
    for (const entry of this.#open) if (isConcerned(entry.answer)) this.#due.add(entry)
    this.#startChecks()
  }

  #remove(entry: Entry): void {
    this.#open.delete(entry)
    this.#due.delete(entry)
    clearTimeout(entry.timer)
    if (this.#open.size > 0) return
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
  }

  #scheduleCheck(entry: Entry): void {
    clearTimeout(entry.timer)
    entry.timer = setTimeout(() => {
      this.#due.add(entry)
      this.#startChecks()
    }, checkEveryMs).unref()
  }

  #startChecks(): void {
    for (const entry of this.#due) {
      if (this.#checksRunning >= maxConcurrentChecks) return
      this.#due.delete(entry)
      this.#checksRunning += 1
      void this.#check(entry).finally(() => {
        this.#checksRunning -= 1
        this.#startChecks()
      })
    }
  }

  async #check(entry: Entry): Promise<void> {
    const { answer } = entry
    try {
      await answer.check()
    } catch (error) {
      if (!(error instanceof Refusal) && !(error instanceof Moved)) this.#options.failed(error, answer.call)
      answer.end(error)
      return
    }
    // The answer may have ended during the check.
    if (this.#open.has(entry)) this.#scheduleCheck(entry)
  }
}
