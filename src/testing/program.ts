import { execFile } from 'node:child_process'

/** How a program ended. */
export interface Ended {
  /** -1 when it did not end by itself; `err` ends with the reason. */
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Default timeout of a program, in milliseconds; less than a test may take. */
const programTimeoutMs = 250_000

/** Runs a program to its end with an input in a folder. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: {
    readonly cwd?: string
    readonly env?: NodeJS.ProcessEnv
    readonly input?: string
    readonly timeoutMs?: number
  } = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      {
        cwd: options.cwd,
        env: { ...process.env, GIT_TERMINAL_PROMPT: '0', ...options.env },
        timeout: options.timeoutMs ?? programTimeoutMs,
        maxBuffer: 64 << 20,
      },
      (error, out, err) => {
        if (!error) return resolve({ code: 0, out, err })
        if (typeof error.code === 'number') return resolve({ code: error.code, out, err })
        resolve({ code: -1, out, err: `${err}${error.signal ?? error.message}\n` })
      },
    )
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(options.input ?? '')
  })
}
