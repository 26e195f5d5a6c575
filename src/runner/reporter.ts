import { setTimeout as sleep } from 'node:timers/promises'
import { isTemporary, ProtocolRefusal, type ProtocolClient, type Result, type StepState } from './protocol-client.ts'
import { maxSummariesBytes, maxSummaryBytes } from '../actions/logs/summary.rules.ts'
import { Masks } from '../lib/masks.ts'

/** Most lines of one report, and their size. */
const maxRows = 1000
const maxRowBytes = 2 * 1024 * 1024

/** Most unsent lines. A step with more output waits. */
const maxWaiting = 20_000

/** The intervals of log and state reports, in milliseconds. */
const logEveryMs = 100
const stateEveryMs = 1000

/** The time for which an unreachable forge is retried, in milliseconds. Then the task is given up. */
const retryMs = 10 * 60_000

interface Row {
  readonly time: string
  readonly content: string
}

/** Reports the log and the steps of a task to the forge, and learns when the task is cancelled. */
export class Reporter {
  readonly masks: Masks
  readonly steps: StepState[] = []
  readonly #client: ProtocolClient
  readonly #taskId: string
  readonly #ended: (result: Result | undefined) => void
  #rows: Row[] = []
  #acknowledged = 0
  readonly #summaries = new Map<number, string>()
  #isClosing = false
  #isLost = false
  readonly #sending: Promise<unknown>

  /** @param ended called when the forge ended the task, with `undefined` when the task does not exist any more */
  constructor(
    client: ProtocolClient,
    taskId: string,
    secrets: readonly string[],
    ended: (result: Result | undefined) => void,
  ) {
    this.#client = client
    this.#taskId = taskId
    this.#ended = ended
    this.masks = new Masks(secrets)
    this.#sending = Promise.all([this.#sendLines(), this.#sendStates()])
  }

  /** The number of the next line. */
  get nextLine(): number {
    return this.#acknowledged + this.#rows.length
  }

  /** Appends lines to the log. */
  log(...texts: readonly string[]): void {
    const time = new Date(performance.timeOrigin + performance.now()).toISOString()
    for (const text of texts) this.#rows.push({ time, content: this.masks.apply(text) })
  }

  /** Adds to the summary of a step, and sends it. Returns false when the step or the job has no room for it. */
  async summarize(step: number, text: string): Promise<boolean> {
    const summary = (this.#summaries.get(step) ?? '') + this.masks.apply(text)
    const ofOthers = [...this.#summaries].reduce(
      (sum, [id, each]) => sum + (id === step ? 0 : Buffer.byteLength(each)),
      0,
    )
    const bytes = Buffer.byteLength(summary)
    if (bytes > maxSummaryBytes || ofOthers + bytes > maxSummariesBytes) return false
    this.#summaries.set(step, summary)
    const sent = { [String(step)]: summary }
    await this.#retried(() => this.#client.updateTask({ id: this.#taskId, steps: this.steps }, {}, sent))
    return true
  }

  /** Waits until fewer lines are unsent than the limit. */
  async room(): Promise<void> {
    while (this.#rows.length > maxWaiting && !this.#isLost) await sleep(logEveryMs)
  }

  /** Sends the rest of the log and the result of the task. */
  async close(result: Result, outputs: Readonly<Record<string, string>>): Promise<void> {
    this.#isClosing = true
    await this.#sending
    await this.#retried(() => this.#sendRows(true))
    await this.#retried(() => this.#client.updateTask({ id: this.#taskId, result, steps: this.steps }, outputs))
  }

  async #sendLines(): Promise<void> {
    while (!this.#isClosing) {
      await sleep(logEveryMs)
      await this.#retried(() => this.#sendRows(false))
    }
  }

  async #sendStates(): Promise<void> {
    for (let sentMs = 0; !this.#isClosing; await sleep(logEveryMs)) {
      if (performance.now() - sentMs < stateEveryMs) continue
      sentMs = performance.now()
      const result = await this.#retried(() => this.#client.updateTask({ id: this.#taskId, steps: this.steps }))
      if (result) this.#ended(result)
    }
  }

  async #sendRows(isLast: boolean): Promise<void> {
    while (this.#rows.length > 0 || isLast) {
      let size = 0
      const full = this.#rows.findIndex(({ content }) => (size += content.length) > maxRowBytes)
      const rows = this.#rows.slice(0, Math.min(maxRows, full < 1 ? maxRows : full))
      const ends = isLast && rows.length === this.#rows.length
      const next = await this.#client.updateLog(this.#taskId, this.#acknowledged, rows, ends)
      this.#rows = this.#rows.slice(Math.max(0, next - this.#acknowledged))
      this.#acknowledged = Math.max(this.#acknowledged, next)
      if (ends) return
    }
  }

  /** Retries a call while the forge is unreachable. After a permanent error nothing more is reported. */
  async #retried<Value>(call: () => Promise<Value>): Promise<Value | undefined> {
    const until = performance.now() + retryMs
    for (let waitMs = 250; !this.#isLost; waitMs = Math.min(waitMs * 2, 5000)) {
      try {
        return await call()
      } catch (error) {
        // The log has ended: the reply to the previous report was lost.
        if (error instanceof ProtocolRefusal && error.status === 409) return undefined
        if (!isTemporary(error) || performance.now() > until) {
          this.#isLost = true
          this.#ended(undefined)
          return undefined
        }
        await sleep(waitMs)
      }
    }
    return undefined
  }
}
