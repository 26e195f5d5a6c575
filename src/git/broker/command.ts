import type { ChildProcess } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { releaseChunk } from '../../lib/fleeting.ts'
import type { WireStream } from './wire.ts'
import { serveHooks, serveProcReceive } from './hook-link.ts'
import { signalGroup } from './process-group.ts'
import { spawnGit } from './spawn-git.ts'
import type { BrokerMessage, BrokerSettings, HookAnswer, HookQuestion, RunRequest, RunResult } from './protocol.ts'

/** Kept bytes of standard error; its end has the reason. */
const maxStderrBytes = 16 << 10
/** Time between SIGTERM and SIGKILL. */
const graceMs = 2000

/**
 * Runs one git command in its own process group, with input and output on the stream. Cancellation, silence or the
 * deadline end the whole group.
 */
export class Command {
  readonly #request: RunRequest
  readonly #stream: WireStream
  readonly #settings: BrokerSettings
  readonly #onEnd: () => void
  readonly #child: ChildProcess
  readonly #startedMs = performance.now()
  readonly #deadline: NodeJS.Timeout
  #idle: NodeJS.Timeout | undefined
  #grace: NodeJS.Timeout | undefined
  #stderr: Buffer[] = []
  #stderrBytes = 0
  #reason: 'timeout' | 'cancelled' | 'spawn' | 'limit' | undefined
  #spawnMessage = ''
  #ended = false
  #answer: ((answer: HookAnswer) => void) | undefined

  constructor(request: RunRequest, stream: WireStream, settings: BrokerSettings, onEnd: () => void) {
    this.#request = request
    this.#stream = stream
    this.#settings = settings
    this.#onEnd = onEnd
    const hooks = request.hooks === true
    this.#child = spawnGit(settings.gitBinary, request.args, {
      cwd: request.cwd,
      env: { ...settings.environment, ...request.environment },
      stdio: [
        request.input ? 'pipe' : 'ignore',
        'pipe',
        'pipe',
        ...(hooks ? (['pipe', 'pipe', 'pipe', 'pipe'] as const) : []),
      ],
      detached: true,
    })
    this.#deadline = setTimeout(() => this.#stop('timeout'), request.timeoutMs)
    if (request.idleMs !== undefined) this.#idle = setTimeout(() => this.#stop('timeout'), request.idleMs)
    stream.handlers.cancel = () => this.#stop('cancelled')
    stream.handlers.failure = () => this.kill()
    this.#child.on('error', (error) => {
      this.#reason = 'spawn'
      this.#spawnMessage = error.message
      // A process that did not start emits no `close`.
      if (this.#child.pid === undefined) this.#end(-1)
    })
    // Children of a killed git share its pipes: they would read the rest of a push that nobody ends any more.
    this.#child.on('exit', (_code, signal) => {
      if (signal !== null) this.kill()
    })
    this.#child.on('close', (code) => this.#end(code ?? -1))
    if (this.#child.pid !== undefined) stream.message({ started: this.#child.pid } satisfies BrokerMessage)
    this.#pumpInput()
    this.#pumpOutput()
    if (hooks) this.#serveHooks()
  }

  /** Kills the process group at once. */
  kill(): void {
    signalGroup(this.#child, 'SIGKILL')
  }

  #pumpInput(): void {
    const input = this.#child.stdin
    const stream = this.#stream
    if (input === null) return
    // git may stop reading, for example when it refuses a push; its exit code says so.
    input.on('error', () => undefined)
    stream.handlers.data = (chunk) => {
      this.#idle?.refresh()
      if (input.destroyed || input.writableEnded) return stream.consumed(chunk.length)
      const { length } = chunk
      input.write(chunk, (error) => {
        stream.consumed(length)
        if (!error) releaseChunk(chunk)
      })
    }
    stream.handlers.end = () => input.end()
  }

  #pumpOutput(): void {
    const output = this.#child.stdout!
    const stream = this.#stream
    output.on('data', (chunk: Buffer) => {
      // Output of a command that is being ended is dropped, so that its pipe drains and it can exit.
      if (this.#reason !== undefined) return
      this.#idle?.refresh()
      if (!stream.write(chunk, () => releaseChunk(chunk))) output.pause()
    })
    stream.handlers.drain = () => {
      this.#idle?.refresh()
      output.resume()
    }
    output.on('error', () => undefined)
    this.#child.stderr!.on('data', (chunk: Buffer) => {
      this.#idle?.refresh()
      this.#stderr.push(chunk)
      this.#stderrBytes += chunk.length
      while (this.#stderrBytes > 2 * maxStderrBytes && this.#stderr.length > 1) {
        this.#stderrBytes -= this.#stderr.shift()!.length
      }
    })
    this.#child.stderr!.on('error', () => undefined)
  }

  #serveHooks(): void {
    const [, , , fromHook, toHook, fromTopicHook, toTopicHook] = this.#child.stdio as unknown as Duplex[]
    const ask = (question: HookQuestion): Promise<HookAnswer> =>
      new Promise((resolve, reject) => {
        // git is silent while the server answers a hook; this wait has its own deadline.
        clearTimeout(this.#idle)
        const timer = setTimeout(() => {
          this.#answer = undefined
          reject(new Error('no answer'))
        }, this.#settings.hookTimeoutMs)
        this.#answer = (answer) => {
          clearTimeout(timer)
          this.#answer = undefined
          if (this.#request.idleMs !== undefined && !this.#ended) {
            this.#idle = setTimeout(() => this.#stop('timeout'), this.#request.idleMs)
          }
          resolve(answer)
        }
        this.#stream.message({ question } satisfies BrokerMessage)
      })
    this.#stream.handlers.message = (message) => this.#answer?.(message as HookAnswer)
    const giveUp = (): void => this.#stop('timeout')
    const tooMuch = this.#settings.maxHookBytes
    serveHooks(fromHook!, toHook!, ask, tooMuch, giveUp)
    serveProcReceive(fromTopicHook!, toTopicHook!, ask, tooMuch, giveUp)
  }

  #stop(reason: 'timeout' | 'cancelled'): void {
    if (this.#ended || this.#reason !== undefined) return
    this.#reason = reason
    // On SIGTERM git removes its locks and temporary files.
    signalGroup(this.#child, 'SIGTERM')
    this.#child.stdin?.destroy()
    this.#child.stdout?.resume()
    this.#stream.handlers.drain = undefined
    this.#grace = setTimeout(() => {
      this.kill()
      // A descendant that left the group may hold the pipes open.
      this.#child.stdout?.destroy()
      this.#child.stderr?.destroy()
    }, graceMs)
  }

  #end(exitCode: number): void {
    if (this.#ended) return
    this.#ended = true
    clearTimeout(this.#deadline)
    clearTimeout(this.#idle)
    clearTimeout(this.#grace)
    // Descendants of a dead git (a pack writer, a hook) must not outlive it.
    signalGroup(this.#child, 'SIGKILL')
    for (const end of this.#child.stdio) end?.destroy()
    const stderr = Buffer.concat(this.#stderr).subarray(-maxStderrBytes).toString().trimEnd()
    const stream = this.#stream
    stream.handlers.cancel = undefined
    stream.handlers.failure = undefined
    if (this.#reason === 'spawn') stream.fail({ reason: 'spawn', message: this.#spawnMessage })
    else if (this.#reason === 'timeout') {
      stream.fail({ reason: 'timeout', message: `git ${this.#request.name} did not end in time` })
    } else if (this.#reason === 'cancelled') {
      stream.fail({ reason: 'cancelled', message: `git ${this.#request.name} was cancelled` })
    } else stream.finish({ exitCode, stderr, ms: performance.now() - this.#startedMs } satisfies RunResult)
    this.#onEnd()
  }
}
