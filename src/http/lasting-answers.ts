import { Moved, Refusal } from '../lib/errors.ts'
import type { Call, RequestContext } from './operation.ts'

/** One answer under way that may last longer than the rights it was begun with. */
export interface LastingAnswer {
  readonly call: Call
  /** What the requirements supplied when the answer began. */
  readonly ctx: RequestContext
  /** Reads credential and rights again. @throws what the request would be refused with if it came now */
  check(): Promise<void>
  /** Ends the answer. */
  end(reason: unknown): void
}

/** Longest time between two checks of an answer, in milliseconds. */
const checkEveryMs = 10_000

/** Answers that are checked at the same time: a change that concerns many must not take what all need. */
const checkedAtOnce = 8

export interface LastingOptions {
  /** Calls `checkSoon` when rights may have changed, while there are answers. @returns what ends that */
  follow(answers: LastingAnswers): () => void
  /** Is called with errors of checks that are no refusals. */
  failed(error: unknown, call: Call): void
}

interface Entry {
  readonly answer: LastingAnswer
  timer: NodeJS.Timeout | undefined
}

/**
 * Reads credential and rights of every lasting answer again, at least every ten seconds and whenever somebody says that
 * they may have changed, and ends the answers that would be refused by now. A check that fails ends its answer as well:
 * nobody can say that the answer is still allowed.
 */
export class LastingAnswers {
  readonly #entries = new Set<Entry>()
  readonly #due = new Set<Entry>()
  readonly #options: LastingOptions
  #unfollow: (() => void) | undefined
  #running = 0

  constructor(options: LastingOptions) {
    this.#options = options
  }

  get count(): number {
    return this.#entries.size
  }

  /** @returns what stops the checks when the answer has ended */
  guard(answer: LastingAnswer): () => void {
    const entry: Entry = { answer, timer: undefined }
    this.#entries.add(entry)
    this.#unfollow ??= this.#options.follow(this)
    this.#plan(entry)
    return () => {
      this.#entries.delete(entry)
      this.#due.delete(entry)
      clearTimeout(entry.timer)
      if (this.#entries.size > 0) return
      this.#unfollow?.()
      this.#unfollow = undefined
    }
  }

  /** Checks the answers that a change may concern. */
  checkSoon(isConcerned: (answer: LastingAnswer) => boolean): void {
    for (const entry of this.#entries) if (isConcerned(entry.answer)) this.#due.add(entry)
    this.#begin()
  }

  #plan(entry: Entry): void {
    clearTimeout(entry.timer)
    entry.timer = setTimeout(() => {
      this.#due.add(entry)
      this.#begin()
    }, checkEveryMs).unref()
  }

  #begin(): void {
    for (const entry of this.#due) {
      if (this.#running >= checkedAtOnce) return
      this.#due.delete(entry)
      this.#running += 1
      void this.#check(entry).finally(() => {
        this.#running -= 1
        this.#begin()
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
    if (this.#entries.has(entry)) this.#plan(entry)
  }
}
