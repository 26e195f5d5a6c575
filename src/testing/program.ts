import { execFile } from 'node:child_process'

/** How a program ended. */
export interface Ended {
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
      (error, out, err) => resolve({ code: error ? (typeof error.code === 'number' ? error.code : -1) : 0, out, err }),
    )
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(options.input ?? '')
  })
}
