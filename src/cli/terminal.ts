import { constants, getPriority, setPriority } from 'node:os'
import { CommandFailure, exitCodes } from './exit.ts'

/** Output and signals of a command. */
export interface Terminal {
  out(text: string): void
  err(text: string): void
  /** Sets the exit code; the command continues. */
  fail(code: number): void
  readonly exitCode: number
  /** Resolves at the first signal to stop. A second signal ends the process at once. */
  stopSignal(): Promise<string>
  /** Makes SIGHUP run `work` instead of stopping the program. */
  onHangUp(work: () => void): void
  /** Lets other processes go first, until the end of this one. */
  lowerPriority(): void
}

/** Conventional exit codes of programs that a signal ended. */
const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** Standard output, standard error, and the signals of this process. */
export function processTerminal(): Terminal {
  let exitCode: number = exitCodes.ok
  let hangUp: (() => void) | undefined
  // The reader of a pipe may close it early (`ingot openapi | head`).
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(exitCodes.ok)
  })
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    fail(code) {
      exitCode = code
    },
    get exitCode() {
      return exitCode
    },
    stopSignal: () =>
      new Promise((resolve) => {
        let hasStopped = false
        for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
          process.on(signal, () => {
            if (signal === 'SIGHUP' && hangUp) return hangUp()
            if (hasStopped) process.exit(signalCodes[signal])
            hasStopped = true
            resolve(signal)
          })
        }
      }),
    onHangUp(work) {
      hangUp = work
    },
    lowerPriority() {
      setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL))
    },
  }
}

/** Returns a signal that is aborted when the command is to stop. */
export function stoppable(terminal: Terminal): AbortSignal {
  const stop = new AbortController()
  void terminal.stopSignal().then((name) => stop.abort(new CommandFailure(`stopped by ${name}`)))
  return stop.signal
}

/** Replaces control characters, which could steer the terminal, by spaces. */
// oxlint-disable-next-line no-control-regex -- these are the characters to replace
export const printable = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
