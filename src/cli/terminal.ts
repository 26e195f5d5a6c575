import { exitCodes } from './exit.ts'

/** Where commands write, and how they are told to stop. */
export interface Terminal {
  out(text: string): void
  err(text: string): void
  /** The command goes on, and the program will end with this code. */
  fail(code: number): void
  readonly exitCode: number
  /** Resolves when the program is told to stop; from the call on, being told again ends it at once. */
  stopSignal(): Promise<string>
  /** From the call on SIGHUP does this and stops nothing. */
  onHangUp(work: () => void): void
}

/** Conventional exit codes of programs that a signal ended. */
const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** Standard output, standard error, and the signals of this process. */
export function processTerminal(): Terminal {
  let exitCode: number = exitCodes.ok
  let hangUp: (() => void) | undefined
  // Whoever reads the output may have seen enough (`ingot openapi | head`).
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
        let isTold = false
        for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
          process.on(signal, () => {
            if (signal === 'SIGHUP' && hangUp) return hangUp()
            if (isTold) process.exit(signalCodes[signal])
            isTold = true
            resolve(signal)
          })
        }
      }),
    onHangUp(work) {
      hangUp = work
    },
  }
}

/** What others say or chose goes to a terminal without what would steer it. */
// oxlint-disable-next-line no-control-regex -- those are what is taken out
export const printable = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
