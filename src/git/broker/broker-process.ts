import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { Channel } from './wire.ts'

/** The broker only passes bytes on: it needs a small heap and no optimizing compiler. */
const brokerFlags = ['--max-old-space-size=512', '--max-semi-space-size=1', '--no-maglev', '--v8-pool-size=1']

/** Settings of the C library's allocator that keep memory small. */
const frugalMalloc = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576', MALLOC_TRIM_THRESHOLD_: '1048576' }

/** Receives what happens to a broker. */
interface BrokerOwner {
  /** The process ended, and what it reported is read. */
  ended(): void
  /** It wrote on its standard error. */
  wrote(text: string): void
}

/** A running broker with the two channels to it. */
export class BrokerProcess {
  readonly child: ChildProcess
  readonly small: Channel
  readonly bulk: Channel
  readonly #sockets: readonly Socket[]
  owner: BrokerOwner | undefined
  #hasEnded = false

  constructor(brokerFile: string, owner: BrokerOwner) {
    this.owner = owner
    this.child = spawn(process.execPath, [...brokerFlags, brokerFile], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      // A session of its own: an interrupt at the terminal reaches only the server, which then ends the broker in
      // order.
      detached: true,
      env: frugalMalloc,
    })
    const [, , errors, small, bulk] = this.child.stdio as unknown as [null, null, Socket, Socket, Socket]
    this.#sockets = [errors, small, bulk]
    errors.on('data', (chunk: Buffer) => this.owner?.wrote(chunk.toString()))
    // A broker without one of its channels is of no use.
    const kill = (): void => void this.child.kill('SIGKILL')
    this.small = new Channel(small, { onClose: kill })
    this.bulk = new Channel(bulk, { onClose: kill })
    this.child.on('error', this.#end)
    // After `close`, everything is read that it reported before its end, such as the commands that still run.
    this.child.on('close', this.#end)
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  get isBusy(): boolean {
    return this.small.streamCount + this.bulk.streamCount > 0
  }

  /** Closes the channels. The broker then exits, together with its children. */
  close(): void {
    this.small.close()
    this.bulk.close()
  }

  /** Whether this process waits for the broker before it exits. */
  holdProcess(holds: boolean): void {
    for (const each of [this.child, ...this.#sockets]) {
      if (holds) each.ref()
      else each.unref()
    }
  }

  readonly #end = (): void => {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.owner?.ended()
  }
}

/**
 * Idle brokers that closed git layers leave to later ones, which saves starting a process. Only tests start git layers one after
 * the other. A broker forgets its readers and commands when it gets new settings.
 */
export class SpareBrokers {
  #spares: { readonly brokerFile: string; readonly broker: BrokerProcess }[] = []

  constructor(readonly most: number) {}

  take(brokerFile: string): BrokerProcess | undefined {
    const spare = this.#spares.find((each) => each.brokerFile === brokerFile && !each.broker.hasEnded)
    if (spare === undefined) return undefined
    this.#spares = this.#spares.filter((each) => each !== spare)
    spare.broker.holdProcess(true)
    return spare.broker
  }

  /** Returns whether the broker was kept; it must be idle. */
  keep(brokerFile: string, broker: BrokerProcess): boolean {
    this.#spares = this.#spares.filter((each) => !each.broker.hasEnded)
    if (broker.hasEnded || this.#spares.length >= this.most) return false
    broker.owner = undefined
    broker.holdProcess(false)
    this.#spares.push({ brokerFile, broker })
    return true
  }
}
