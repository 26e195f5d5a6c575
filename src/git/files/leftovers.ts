import { readdir, readFile, readlink, rm } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { mapLimited } from '../../lib/map-limited.ts'
import { type GitContext, locate } from '../context.ts'
import type { GitKey } from '../git-key.ts'
import { isHeld } from './owned-lock.ts'
import { entriesOf, filesBelow, statOf } from './walk.ts'

/**
 * Finds and removes what killed git processes leave in a repository: lock files, which block a reference or the packed
 * references, and temporary objects, which take space. A file does not name its process. A file is abandoned when no
 * process that works in the repository is older than the file, both before and after the check.
 */

/** Commands that hold no lock and make no temporary objects. */
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

/** Files besides references that git locks. */
export const lockedFiles = [
  'packed-refs',
  'HEAD',
  'config',
  'shallow',
  'objects/info/commit-graph',
  'objects/info/commit-graphs/commit-graph-chain',
  'objects/pack/multi-pack-index',
]

/**
 * Age that decides for temporary objects when the system cannot list processes (another system, shared folders), in
 * milliseconds.
 */
const temporaryAgeMs = 2 * 60 * 60_000
/** Longest time between the last change of a file that the server makes itself and its removal, in milliseconds. */
const ownAgeMs = 10 * 60_000
/** A bundle's folder is created before its process has a slot, in milliseconds. */
const bundleAgeMs = 60_000

/** Tolerance between the clocks of files and processes, in milliseconds. */
const clockSlackMs = 50

/** Concurrent file reads. */
const atOnce = 16

/** The git subcommand in a command line; undefined when the process is not git. */
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

/** Unit of process start times in `/proc`, per second. */
const ticksPerSecond = 100

/**
 * Start time of the oldest process of this machine that works in the repository and may write, in Unix milliseconds.
 * Infinity when no process does; undefined when the system has no `/proc`.
 */
async function oldestWriter(directory: string): Promise<number | undefined> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  // Taken before the uptime is read: the answer may wait for a busy event loop, and no process may look younger than it is.
  const nowMs = Date.now()
  const uptime = await readFile('/proc/uptime', 'utf8').catch(() => undefined)
  if (pids.length === 0 || uptime === undefined) return undefined
  const bootedMs = nowMs - Number.parseFloat(uptime) * 1000
  const begins = await mapLimited(pids, atOnce, async (pid) => {
    // Unreadable processes belong to other users; missing ones have ended.
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '')
    if (cwd !== directory && !cwd.startsWith(`${directory}/`)) return Infinity
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (commandLine === '' || reading.has(commandOf(commandLine) ?? '')) return Infinity
    const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    // The program name is in parentheses and may hold anything; the start time is the 20th field after it.
    const ticks = Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[19])
    return Number.isFinite(ticks) ? bootedMs + (ticks / ticksPerSecond) * 1000 : Infinity
  })
  return Math.min(...begins)
}

interface FoundFile {
  readonly path: string
  readonly identity: string
  readonly changedMs: number
}

async function look(path: string): Promise<FoundFile | undefined> {
  const found = await statOf(path)
  return found && { path, identity: `${found.ino} ${found.mtimeMs}`, changedMs: found.mtimeMs }
}

const statAll = async (paths: readonly string[]): Promise<FoundFile[]> =>
  (await mapLimited(paths, atOnce, look)).filter((each) => each !== undefined)

/** Paths of abandoned files that did not change during the check. */
async function abandonedAmong(
  context: GitContext,
  directory: string,
  found: readonly FoundFile[],
  ageMs: number,
): Promise<string[]> {
  if (found.length === 0) return []
  const oldestMs = await oldestWriter(directory)
  const isDead = ({ changedMs }: FoundFile): boolean => {
    // A process that started after the file was made does not own it.
    if (oldestMs !== undefined && oldestMs <= changedMs + clockSlackMs) return false
    return (oldestMs !== undefined && !context.isFolderShared) || Date.now() - changedMs >= ageMs
  }
  const still = new Map((await statAll(found.map(({ path }) => path))).map((each) => [each.path, each.identity]))
  return found.filter((each) => isDead(each) && still.get(each.path) === each.identity).map(({ path }) => path)
}

/** Paths of abandoned locks: of the named files, or of all. */
async function abandonedLocks(context: GitContext, directory: string, names?: readonly string[]): Promise<string[]> {
  const paths = (names ?? lockedFiles).map((name) => join(directory, `${name}.lock`))
  if (!names) for await (const path of filesBelow(join(directory, 'refs'))) if (path.endsWith('.lock')) paths.push(path)
  const dead = await abandonedAmong(context, directory, await statAll(paths), context.lockAgeMs)
  const held = await mapLimited(dead, atOnce, (path) => isHeld(context, path))
  return dead.filter((_, index) => !held[index])
}

/**
 * Removes abandoned locks. Cheap when there are no locks, so it runs before each change.
 * @param names references and other files about to change; undefined checks all
 * @returns the number of removed locks
 */
export async function removeAbandonedLocks(
  context: GitContext,
  key: GitKey,
  names?: readonly string[],
): Promise<number> {
  const { directory } = locate(context, key)
  const dead = await abandonedLocks(context, directory, names)
  for (const path of dead) {
    await rm(path, { force: true })
    context.log('warn', 'removed a lock that a killed git process left', { key, lock: relative(directory, path) })
  }
  return dead.length
}

async function pathsOf(folder: string, form: RegExp): Promise<string[]> {
  return (await entriesOf(folder)).filter(({ name }) => form.test(name)).map(({ name }) => join(folder, name))
}

/** Temporary objects, packs and indexes of git processes: of pushes, fetches, repacks and commit graphs. */
async function temporariesOfGit(directory: string): Promise<FoundFile[]> {
  const objects = join(directory, 'objects')
  const loose = await mapLimited(await pathsOf(objects, /^[0-9a-f]{2}$/), atOnce, (folder) =>
    pathsOf(folder, /^tmp_obj_/),
  )
  return statAll([
    ...(await pathsOf(objects, /^tmp_objdir-(?!merge-)/)),
    ...(await pathsOf(join(objects, 'pack'), /^(?:tmp_|\.tmp-)/)),
    ...(await pathsOf(join(objects, 'info'), /^tmp_/)),
    ...(await pathsOf(join(objects, 'info/commit-graphs'), /^tmp_/)),
    ...loose.flat(),
  ])
}

/**
 * What the server makes for its git processes, or writes itself. No process is older than such a file, so age decides:
 * the file is not changed for longer than a command may take.
 */
async function temporariesOfServer(directory: string): Promise<FoundFile[]> {
  const objects = join(directory, 'objects')
  const found = await statAll([
    ...(await pathsOf(directory, /^tmp_(?:backup|bundle|index)-/)),
    ...(await pathsOf(objects, /^tmp_(?:objdir-merge-|obj_)/)),
  ])
  const ageOf = (path: string): number => (basename(path).startsWith('tmp_bundle-') ? bundleAgeMs : ownAgeMs)
  return found.filter(({ path, changedMs }) => Date.now() - changedMs >= ageOf(path))
}

async function abandonedTemporaries(context: GitContext, directory: string): Promise<string[]> {
  const found = [...(await temporariesOfGit(directory)), ...(await temporariesOfServer(directory))]
  return abandonedAmong(context, directory, found, temporaryAgeMs)
}

/** Removes the temporary files of git processes that have ended; returns whether none are left, of running ones either. */
export async function sweepTemporaries(context: GitContext, key: GitKey): Promise<boolean> {
  const { directory } = locate(context, key)
  try {
    const found = await temporariesOfGit(directory)
    const dead = await abandonedAmong(context, directory, found, temporaryAgeMs)
    for (const path of dead) await rm(path, { recursive: true, force: true, maxRetries: 3 })
    return dead.length === found.length
  } catch (error) {
    // The scheduled task reads the repository again.
    context.log('error', 'temporary files of git were not removed', { key, error: String(error) })
    return true
  }
}

/** Abandoned files of a repository, relative to it. */
export async function findAbandoned(context: GitContext, key: GitKey): Promise<readonly string[]> {
  const { directory } = locate(context, key)
  const dead = [...(await abandonedLocks(context, directory)), ...(await abandonedTemporaries(context, directory))]
  return dead.map((path) => relative(directory, path))
}

/** Removes abandoned files of a repository; returns their number. */
export async function removeAbandoned(context: GitContext, key: GitKey): Promise<number> {
  const { directory } = locate(context, key)
  const locks = await removeAbandonedLocks(context, key)
  const temporaries = await abandonedTemporaries(context, directory)
  for (const path of temporaries) await rm(path, { recursive: true, force: true, maxRetries: 3 })
  return locks + temporaries.length
}
