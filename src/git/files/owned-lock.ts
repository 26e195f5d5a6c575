import { open, readFile, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { Unavailable } from '../../lib/errors.ts'
import type { GitContext } from '../context.ts'

/** Longest wait for another process, and between two looks, in milliseconds. */
const longestWaitMs = 20_000
const pollMs = 10

/** Works while a lock file, which names this process, excludes others: those of this program and git. */
export async function whileHolding(context: GitContext, path: string, work: () => Promise<void>): Promise<void> {
  await lock(context, path)
  try {
    await work()
  } finally {
    await rm(path, { force: true })
  }
}

async function lock(context: GitContext, path: string): Promise<void> {
  for (const endMs = performance.now() + longestWaitMs; ; await wait(pollMs)) {
    try {
      await makeLock(path)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    if (await isAbandoned(context, path)) await rm(path, { force: true })
    else if (performance.now() > endMs) {
      throw new Unavailable('another process is changing the references', 'git_ref_locked')
    }
  }
}

/** Makes a lock that names this process. On a full disk none is left: without a name it would seem to be a lock of git. */
async function makeLock(path: string): Promise<void> {
  const file = await open(path, 'wx')
  try {
    await file.writeFile(owner)
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/** This process, in the form of a lock. A number of a process is used again, in a container at each start. */
const owner = `${hostname()} ${process.pid} ${performance.timeOrigin}\n`
const ownerForm = /^\S+ \d+ [\d.]+\n$/

/** Whether a process of this program made the lock and may still hold it. Locks of git name no process. */
export async function isHeld(context: GitContext, path: string): Promise<boolean> {
  const text = await readFile(path, 'latin1').catch(() => '')
  return ownerForm.test(text) && !(await isAbandoned(context, path))
}

/** Whether the process that made a lock is gone. Of other machines only the age tells. */
async function isAbandoned({ lockAgeMs, isFolderShared }: GitContext, path: string): Promise<boolean> {
  const [found, text] = await Promise.all([
    stat(path).catch(() => undefined),
    readFile(path, 'latin1').catch(() => undefined),
  ])
  if (found === undefined || text === undefined || text === owner) return false
  const ageMs = Date.now() - found.mtimeMs
  const [host, pid = ''] = text.split(' ')
  if (host === hostname() && /^\d+$/.test(pid)) {
    // The number may be that of another process by now.
    return Number(pid) === process.pid || !isRunning(Number(pid)) || ageMs > lockAgeMs
  }
  // A process was killed, or power failed, before the number was written; or it ran on another machine.
  return ageMs > (isFolderShared ? lockAgeMs : unnamedMs)
}

/** Age at which a lock that names no process of this machine is abandoned, when no other machine makes locks, in milliseconds. */
const unnamedMs = 1000

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
