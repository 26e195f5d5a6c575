import { readdir, readFile, readlink, rm } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { mapLimited } from '../../lib/map-limited.ts'
import { type GitContext, locate } from '../context.ts'
import type { GitKey } from '../git-key.ts'
import { entriesOf, filesBelow, statOf } from './walk.ts'

/**
 * What git processes that were killed leave in a repository: locks, which bar a reference or the packed references for
 * good, and temporary objects, which take room. Nothing in such a file says whose it is, so the system is asked whether
 * any process that is older than it works in the repository: a file that is there before and after that is nobody's.
 */

/** Git that reads holds no lock and makes no temporary objects; the readers that stay open are such. */
const reading = new Set([
  'cat-file',
  'upload-pack',
  'upload-archive',
  'pack-objects',
  'rev-list',
  'log',
  'diff-tree',
  'for-each-ref',
  'archive',
  'ls-tree',
  'grep',
  'blame',
  'merge-base',
  'patch-id',
  'fsck',
])

/** Files beside references that git locks. */
export const lockedFiles = [
  'packed-refs',
  'HEAD',
  'config',
  'shallow',
  'objects/info/commit-graph',
  'objects/info/commit-graphs/commit-graph-chain',
]

/** Where no process of this machine tells (another system, other machines on the same folder), age does, in milliseconds. */
const temporaryAgeMs = 2 * 60 * 60_000
/** A process that is to fill a folder may have to wait for its place, in milliseconds. */
const beforeItsProcessMs = 60_000

/** How far times of files and of processes may be apart, in milliseconds. */
const clockSlackMs = 50

/** Files that are looked at at once. */
const atOnce = 16

/** Which git command a process runs, by its arguments; undefined when it is none. */
function commandOf(commandLine: string): string | undefined {
  const [program = '', ...rest] = commandLine.split('\0')
  if (basename(program) !== 'git') return undefined
  for (let index = 0; index < rest.length; index++) {
    const argument = rest[index] as string
    if (argument === '-c' || argument === '-C') index += 1
    else if (!argument.startsWith('-')) return argument
  }
  return undefined
}

/** Ticks of a second in which Linux tells programs when a process began. */
const ticksPerSecond = 100

/**
 * When the oldest process of this machine began that works in a repository and may write, in milliseconds since 1970;
 * Infinity when none does, undefined when the system does not tell.
 */
async function oldestWriter(directory: string): Promise<number | undefined> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const uptime = await readFile('/proc/uptime', 'utf8').catch(() => undefined)
  if (pids.length === 0 || uptime === undefined) return undefined
  const bootedMs = Date.now() - Number.parseFloat(uptime) * 1000
  const begins = await mapLimited(pids, atOnce, async (pid) => {
    // What may not be read is of somebody else, and what is gone by now is gone.
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '')
    if (cwd !== directory && !cwd.startsWith(`${directory}/`)) return Infinity
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (commandLine === '' || reading.has(commandOf(commandLine) ?? '')) return Infinity
    const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    // The name of the program stands in brackets, and may hold anything; the beginning is the 20th field after it.
    const ticks = Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[19])
    return Number.isFinite(ticks) ? bootedMs + (ticks / ticksPerSecond) * 1000 : Infinity
  })
  return Math.min(...begins)
}

interface Found {
  readonly path: string
  readonly identity: string
  readonly changedMs: number
}

async function look(path: string): Promise<Found | undefined> {
  const found = await statOf(path)
  return found && { path, identity: `${found.ino} ${found.mtimeMs}`, changedMs: found.mtimeMs }
}

const lookAtAll = async (paths: readonly string[]): Promise<Found[]> =>
  (await mapLimited(paths, atOnce, look)).filter((each) => each !== undefined)

/** Those of some files that nobody is at, and that are what they were when nobody was. */
async function deadAmong(
  context: GitContext,
  directory: string,
  found: readonly Found[],
  ageMs: number,
): Promise<string[]> {
  if (found.length === 0) return []
  const oldestMs = await oldestWriter(directory)
  const isDead = ({ changedMs }: Found): boolean => {
    // Whoever came later than a file did not make it; a push finds the lock that bars it.
    if (oldestMs !== undefined && oldestMs <= changedMs + clockSlackMs) return false
    return (oldestMs !== undefined && !context.shared) || Date.now() - changedMs >= ageMs
  }
  const still = new Map((await lookAtAll(found.map(({ path }) => path))).map((each) => [each.path, each.identity]))
  return found.filter((each) => isDead(each) && still.get(each.path) === each.identity).map(({ path }) => path)
}

/** Dead locks of some references and other files, or of all there are. Paths of files. */
async function deadLocks(context: GitContext, directory: string, names?: readonly string[]): Promise<string[]> {
  const paths = (names ?? lockedFiles).map((name) => join(directory, `${name}.lock`))
  if (!names) for await (const path of filesBelow(join(directory, 'refs'))) if (path.endsWith('.lock')) paths.push(path)
  return deadAmong(context, directory, await lookAtAll(paths), context.lockAgeMs)
}

/**
 * Removes locks that no process holds any more. Cheap when there are none, so it goes before each change.
 * @param names references and other files that are about to change; without them all are looked at
 * @returns how many were removed
 */
export async function removeDeadLocks(context: GitContext, key: GitKey, names?: readonly string[]): Promise<number> {
  const { directory } = locate(context, key)
  const dead = await deadLocks(context, directory, names)
  for (const path of dead) {
    await rm(path, { force: true })
    context.log('warn', 'a lock that a git process left behind is removed', { key, lock: relative(directory, path) })
  }
  return dead.length
}

/** Objects that were never finished: of refused or killed pushes, of packs half written. */
async function deadTemporaries(context: GitContext, directory: string): Promise<string[]> {
  const named = async (folder: string, form: RegExp): Promise<string[]> =>
    (await entriesOf(folder)).filter(({ name }) => form.test(name)).map(({ name }) => join(folder, name))
  const paths = [
    ...(await named(directory, /^tmp_bundle-/)),
    ...(await named(join(directory, 'objects'), /^tmp_objdir-/)),
    ...(await named(join(directory, 'objects/pack'), /^(?:tmp_|\.tmp-)/)),
  ]
  const found = (await lookAtAll(paths)).filter(
    // The folder of a bundle is made before its process is begun.
    ({ path, changedMs }) => !basename(path).startsWith('tmp_bundle-') || Date.now() - changedMs >= beforeItsProcessMs,
  )
  return deadAmong(context, directory, found, temporaryAgeMs)
}

/** What killed processes left in a repository, by path within it. */
export async function findDead(context: GitContext, key: GitKey): Promise<readonly string[]> {
  const { directory } = locate(context, key)
  const dead = [...(await deadLocks(context, directory)), ...(await deadTemporaries(context, directory))]
  return dead.map((path) => relative(directory, path))
}

/** Removes what killed processes left in a repository; gives how much. */
export async function removeDead(context: GitContext, key: GitKey): Promise<number> {
  const { directory } = locate(context, key)
  const locks = await removeDeadLocks(context, key)
  const temporaries = await deadTemporaries(context, directory)
  for (const path of temporaries) await rm(path, { recursive: true, force: true, maxRetries: 3 })
  return locks + temporaries.length
}
