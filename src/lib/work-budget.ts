import { Invalid } from './errors.ts'

/** What a request may use up of each kind (docs/decisions/0069-budgets-of-requests.md). */
export interface WorkLimits {
  /**
   * Processor time of the main thread in microseconds, for work that grows with text of users. It is estimated from the
   * amount of work and not measured, so that equal requests have equal answers on a busy machine.
   */
  readonly processorUs: number
  /** Bytes of the answer that grow with text of users. The rest of `maxAnswerBytes` is for what surrounds them. */
  readonly outputBytes: number
  /** Characters of texts that worker threads read, render, highlight and compare. */
  readonly threadChars: number
  /**
   * Processor time of worker threads in microseconds. It is measured, because no estimate holds: the same characters take
   * a thousand times longer in some texts. It lies far above what honest texts take. What was computed is kept.
   */
  readonly threadUs: number
}

export type WorkKind = keyof WorkLimits

/** Most bytes of a page, and of the list that a read answers with. Files and differences as downloads have no such limit. */
export const maxAnswerBytes = 4 * 1024 * 1024

/** The limits of a request, a push and an attempt of a job. */
export const usualWorkLimits: WorkLimits = {
  processorUs: 100_000,
  outputBytes: (maxAnswerBytes / 8) * 7,
  threadChars: 2 * 1024 * 1024,
  threadUs: 4_000_000,
}

export class WorkTooCostly extends Invalid {
  constructor(kind: WorkKind, message = 'this takes too much work for one request; ask for a smaller part') {
    super(message, 'work_too_costly', { kind })
  }
}

/**
 * What one request, push or attempt of a job may still use up. Everything that grows with text of users takes from it
 * before it works: patterns, rendered texts, compared lines, messages in lists. A limit of each text alone would be no
 * limit, because a request has many of them.
 */
export class WorkBudget {
  readonly #left: { -readonly [Kind in WorkKind]: number }
  readonly #refused = new Set<WorkKind>()
  readonly #signal: (() => AbortSignal) | undefined

  /** @param signal returns the signal that ends the work: the client left, or the job or the server stops */
  constructor(limits: WorkLimits = usualWorkLimits, signal?: () => AbortSignal) {
    this.#left = { ...limits }
    this.#signal = signal
  }

  /** Aborted when nobody waits for the result; undefined for work that always runs to its end. */
  get signal(): AbortSignal | undefined {
    return this.#signal?.()
  }

  /** The kinds that were refused at least once; the answer then shows less than it could. */
  get refused(): ReadonlySet<WorkKind> {
    return this.#refused
  }

  /** Takes an amount if so much is left. Otherwise the caller shows the plain form. */
  tryTake(kind: WorkKind, amount: number): boolean {
    if (amount > this.#left[kind]) {
      this.#refused.add(kind)
      return false
    }
    this.#left[kind] -= amount
    return true
  }

  /** Takes what was used up and is known only afterwards, at most all that is left. */
  spend(kind: WorkKind, amount: number): void {
    this.#left[kind] = Math.max(0, this.#left[kind] - amount)
  }

  /** Returns a budget with what is left, for a second rendering of the same page. */
  copy(): WorkBudget {
    const copy = new WorkBudget(this.#left, this.#signal)
    for (const kind of this.#refused) copy.#refused.add(kind)
    return copy
  }

  /** Takes an amount that has no plain form. @throws WorkTooCostly */
  take(kind: WorkKind, amount: number): void {
    if (!this.tryTake(kind, amount)) throw new WorkTooCostly(kind)
  }
}
