import { spawn, type ChildProcess } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** A process to run. */
export interface Command {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Receives lines of stdout and stderr. */
  readonly lines: (texts: readonly string[]) => void | Promise<void>
  readonly signal: AbortSignal
}

/** The time between SIGTERM and SIGKILL, in milliseconds. */
const graceMs = 5000

/** The time for which output is read after the end of a process, whose children may keep the streams open. */
const drainMs = 200

/** A longer line is split, in characters. */
const maxLine = 60_000

/** The variable that identifies the processes of a job, also outside of their process groups. */
const markName = 'INGOT_RUNNER_JOB'

/** Starts the processes of one job, each as the leader of a group, and ends all remaining ones. */
export class Processes {
  readonly #mark: string
  readonly #groups = new Set<number>()

  constructor(mark: string) {
    this.#mark = mark
  }

  /**
   * Runs a process to its end.
   * @returns its exit code; undefined when it could not be started or a signal ended it
   */
  async run({ command, args, cwd, env, lines, signal }: Command): Promise<number | undefined> {
    if (signal.aborted) return undefined
    const child = spawn(command, args, {
      cwd,
      env: { ...env, [markName]: this.#mark },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let startError: string | undefined
    const ended = new Promise<number | undefined>((resolve) => {
      child.once('exit', (code) => resolve(code ?? undefined))
      child.once('error', ({ message }) => {
        startError = message
        resolve(undefined)
      })
    })
    const { pid } = child
    if (pid !== undefined) this.#groups.add(pid)
    const end = (): void => void this.#end(child, ended)
    signal.addEventListener('abort', end)
    const read = Promise.all([eachLine(child.stdout, lines), eachLine(child.stderr, lines)])
    try {
      const code = await ended
      if (startError !== undefined) await lines([`${command} cannot be started: ${startError}`])
      await Promise.race([read, sleep(drainMs)])
      return signal.aborted ? undefined : code
    } finally {
      signal.removeEventListener('abort', end)
      child.stdout.destroy()
      child.stderr.destroy()
      await read
      // The id of an empty group may be reused by another program.
      if (pid !== undefined && !signalGroup(pid, 0)) this.#groups.delete(pid)
    }
  }

  async #end(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
    if (child.pid === undefined) return
    signalGroup(child.pid, 'SIGTERM')
    await Promise.race([ended, sleep(graceMs, undefined, { ref: false })])
    signalGroup(child.pid, 'SIGKILL')
  }

  /** Ends all remaining processes of the job, also outside of their groups. */
  async endAll(): Promise<void> {
    for (const group of this.#groups) signalGroup(group, 'SIGKILL')
    this.#groups.clear()
    await endMarked(this.#mark)
  }
}

function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal)
  } catch (error) {
    // The group is empty, or (EPERM) its id was reused by another user's process.
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
    return false
  }
}

/** Most scans of `/proc`: a process may start another one during a scan. */
const maxScans = 5

/** Ends the processes of jobs whose mark has this prefix, on systems with `/proc`. */
export async function endMarked(mark: string): Promise<void> {
  for (let scan = 0; scan < maxScans; scan++) if ((await endMarkedOnce(mark)) === 0) return
}

async function endMarkedOnce(mark: string): Promise<number> {
  const wanted = `${markName}=${mark}`
  const names = await readdir('/proc').catch((): string[] => [])
  let ended = 0
  for (const name of names) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue
    // The environment of other users' processes, and of ended ones, cannot be read.
    const environment = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '')
    if (!environment.split('\0').some((entry) => entry.startsWith(wanted))) continue
    try {
      process.kill(Number(name), 'SIGKILL')
      ended++
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  return ended
}

/** Passes the lines of a stream on, with back-pressure. */
async function eachLine(stream: NodeJS.ReadableStream, take: Command['lines']): Promise<void> {
  let rest = ''
  const decoder = new TextDecoder()
  try {
    for await (const chunk of stream) {
      const texts = (rest + decoder.decode(chunk as Buffer, { stream: true })).split('\n')
      rest = texts.pop() ?? ''
      while (rest.length > maxLine) {
        texts.push(rest.slice(0, maxLine))
        rest = rest.slice(maxLine)
      }
      if (texts.length > 0) await take(texts.map((text) => text.replace(/\r$/, '')))
    }
  } catch (error) {
    // The stream was destroyed, because a child of the process keeps it open.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
  if (rest !== '') await take([rest])
}
