import { spawn, type ChildProcess } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** What a process is begun with. */
export interface Command {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Takes lines of its output; those of both streams as they come. */
  readonly lines: (texts: readonly string[]) => void | Promise<void>
  readonly signal: AbortSignal
}

/** How long a process that is told to end may take, in milliseconds. */
const graceMs = 5000

/** How long output is read on after the end of a process: others that it began may have it open. */
const drainMs = 200

/** A line that is longer is cut into several, in characters. */
const maxLine = 60_000

/** The variable by which processes of a job are known wherever they went. */
const markName = 'INGOT_RUNNER_JOB'

/** Starts the processes of one job, each at the head of a group, and ends all that they left behind. */
export class Processes {
  readonly #mark: string
  readonly #groups = new Set<number>()

  constructor(mark: string) {
    this.#mark = mark
  }

  /**
   * Runs a process to its end.
   * @returns its exit code; undefined when it could not be begun or a signal ended it
   */
  async run({ command, args, cwd, env, lines, signal }: Command): Promise<number | undefined> {
    if (signal.aborted) return undefined
    const child = spawn(command, args, {
      cwd,
      env: { ...env, [markName]: this.#mark },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let trouble: string | undefined
    const ended = new Promise<number | undefined>((resolve) => {
      child.once('exit', (code) => resolve(code ?? undefined))
      child.once('error', ({ message }) => {
        trouble = message
        resolve(undefined)
      })
    })
    const { pid } = child
    if (pid !== undefined) this.#groups.add(pid)
    const tell = (): void => void this.#end(child, ended)
    signal.addEventListener('abort', tell)
    const read = Promise.all([eachLine(child.stdout, lines), eachLine(child.stderr, lines)])
    try {
      const code = await ended
      if (trouble !== undefined) await lines([`${command} cannot be run: ${trouble}`])
      await Promise.race([read, sleep(drainMs)])
      return signal.aborted ? undefined : code
    } finally {
      signal.removeEventListener('abort', tell)
      child.stdout.destroy()
      child.stderr.destroy()
      await read
      // A number whose group is empty may become somebody else's.
      if (pid !== undefined && !signalGroup(pid, 0)) this.#groups.delete(pid)
    }
  }

  async #end(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
    if (child.pid === undefined) return
    signalGroup(child.pid, 'SIGTERM')
    await Promise.race([ended, sleep(graceMs, undefined, { ref: false })])
    signalGroup(child.pid, 'SIGKILL')
  }

  /** Ends all that is left of the job's processes, those included that left their groups. */
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
    // Nobody of the group is left (and EPERM: its number has gone to somebody else since).
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
    return false
  }
}

/** How often is looked for processes that are left: one may begin another while it is looked. */
const maxLooks = 5

/** Ends processes that were begun for jobs whose marks begin so, where the system tells (`/proc`). */
export async function endMarked(mark: string): Promise<void> {
  for (let look = 0; look < maxLooks; look++) if ((await endSomeMarked(mark)) === 0) return
}

async function endSomeMarked(mark: string): Promise<number> {
  const wanted = `${markName}=${mark}`
  const names = await readdir('/proc').catch((): string[] => [])
  let ended = 0
  for (const name of names) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue
    // Of others, and of those that have just ended, nothing is told.
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

/** Hands the lines of a stream on; who takes them slowly slows the process down. */
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
    // It was destroyed because a process that nobody waits for has it open.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
  if (rest !== '') await take([rest])
}
