import { setTimeout as sleep } from 'node:timers/promises'
import { isPassing, ProtocolRefusal, type ProtocolClient, type Result, type StepState } from './protocol-client.ts'
import { Masks } from '../lib/masks.ts'

/** Lines of one report, and their bytes. */
const maxRows = 1000
const maxRowBytes = 2 * 1024 * 1024

/** Lines that wait to be sent; who has more to say waits. */
const maxWaiting = 20_000

/** How often lines are sent, and the state of the task, in milliseconds. */
const logEveryMs = 100
const stateEveryMs = 1000

/** How long a forge that is away is waited for before a task is given up, in milliseconds. */
const patienceMs = 10 * 60_000

interface Row {
  readonly time: string
  readonly content: string
}

/** Tells the forge what a task says and how its steps stand, and hears when it is to end. */
export class Reporter {
  readonly masks: Masks
  readonly steps: StepState[] = []
  readonly #client: ProtocolClient
  readonly #taskId: string
  readonly #ended: (result: Result | undefined) => void
  #rows: Row[] = []
  #acknowledged = 0
  #isClosing = false
  #isLost = false
  readonly #sending: Promise<unknown>

  /** @param ended told when the forge has ended the task: `undefined` when it knows nothing of it any more */
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

  /** The number that the next line will have. */
  get nextLine(): number {
    return this.#acknowledged + this.#rows.length
  }

  /** Puts lines into the log. */
  say(...texts: readonly string[]): void {
    const time = new Date(performance.timeOrigin + performance.now()).toISOString()
    for (const text of texts) this.#rows.push({ time, content: this.masks.apply(text) })
  }

  /** Waits until there is room for more lines. */
  async room(): Promise<void> {
    while (this.#rows.length > maxWaiting && !this.#isLost) await sleep(logEveryMs)
  }

  /** Sends all that is left and how the task has ended. */
  async close(result: Result, outputs: Readonly<Record<string, string>>): Promise<void> {
    this.#isClosing = true
    await this.#sending
    await this.#patiently(() => this.#sendRows(true))
    await this.#patiently(() => this.#client.updateTask({ id: this.#taskId, result, steps: this.steps }, outputs))
  }

  async #sendLines(): Promise<void> {
    while (!this.#isClosing) {
      await sleep(logEveryMs)
      await this.#patiently(() => this.#sendRows(false))
    }
  }

  async #sendStates(): Promise<void> {
    for (let sentMs = 0; !this.#isClosing; await sleep(logEveryMs)) {
      if (performance.now() - sentMs < stateEveryMs) continue
      sentMs = performance.now()
      const result = await this.#patiently(() => this.#client.updateTask({ id: this.#taskId, steps: this.steps }))
      if (result) this.#ended(result)
    }
  }

  async #sendRows(isWhole: boolean): Promise<void> {
    while (this.#rows.length > 0 || isWhole) {
      let size = 0
      const full = this.#rows.findIndex(({ content }) => (size += content.length) > maxRowBytes)
      const rows = this.#rows.slice(0, Math.min(maxRows, full < 1 ? maxRows : full))
      const ends = isWhole && rows.length === this.#rows.length
      const next = await this.#client.updateLog(this.#taskId, this.#acknowledged, rows, ends)
      this.#rows = this.#rows.slice(Math.max(0, next - this.#acknowledged))
      this.#acknowledged = Math.max(this.#acknowledged, next)
      if (ends) return
    }
  }

  /** Tries again while the forge is away. Once it knows nothing of the task there is nothing more to say. */
  async #patiently<Value>(call: () => Promise<Value>): Promise<Value | undefined> {
    const until = performance.now() + patienceMs
    for (let waitMs = 250; !this.#isLost; waitMs = Math.min(waitMs * 2, 5000)) {
      try {
        return await call()
      } catch (error) {
        // The log is whole already: an answer that got lost.
        if (error instanceof ProtocolRefusal && error.status === 409) return undefined
        if (!isPassing(error) || performance.now() > until) {
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
