import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Conflict, Invalid, NotFound } from '../../lib/errors.ts'
import { flushFolder } from '../../lib/flush-folder.ts'
import type { Oid } from '../../lib/ids.ts'
import { mustSucceed } from '../broker/broker-client.ts'
import { checkOids, explainMissing, type GitContext, locate } from '../context.ts'
import { isHere } from '../copy-parts.ts'
import { type GitKey, isGitKey, repositoryPath } from '../git-key.ts'
import type { Quarantine } from '../git-service.ts'
import type { FsckReport, MadeRepository, NewRepositoryOptions } from '../git.ts'
import { flushWhole } from '../files/flush.ts'
import { writeRepositoryFiles } from './new-repository.ts'
import { rememberWritten } from '../objects/object-reader.ts'
import { isValidBranchName } from '../../lib/ref-name.ts'
import { bytesBelow, entriesOf, statOf } from '../files/walk.ts'

const leftoverMs = 24 * 60 * 60_000

const temporaryName = (path: string): string => `${path}.new-${randomBytes(6).toString('hex')}`

/** Synchronous: the thread pool costs ten times the work. */
export const exists = (context: GitContext, key: GitKey): boolean =>
  existsSync(join(repositoryPath(context.root, key), 'HEAD'))

/**
 * Makes a repository, empty or with a first commit. It is built in a temporary folder and renamed. Throws `Conflict`
 * when it exists.
 */
export async function create(
  context: GitContext,
  key: GitKey,
  options: NewRepositoryOptions = {},
): Promise<MadeRepository> {
  const { defaultBranch = 'main', objectFormat = 'sha1', first } = options
  if (!isValidBranchName(defaultBranch)) throw new Invalid('the default branch is no valid branch name')
  const { sizeBytes, objects } = await build(context, key, (temporary) =>
    writeRepositoryFiles(temporary, { defaultBranch, objectFormat, first }, context.durable),
  )
  context.caches.formats.set(key, objectFormat)
  for (const each of objects) rememberWritten(context, key, each)
  return { sizeBytes, first: objects.at(-1)?.oid }
}

/**
 * Makes a repository in the place of a removed one. What is left of that would stay in the way: the removal was ended, or a git
 * process that was at work has made folders again.
 */
export async function createAgain(
  context: GitContext,
  key: GitKey,
  options: NewRepositoryOptions,
): Promise<MadeRepository> {
  if (!isHere(context, key)) await remove(context, key)
  return create(context, key, options)
}

/**
 * Runs `make` in a temporary folder and renames that to the repository. `make` has synced its files; syncing the parent
 * folder last makes all names durable (docs/decisions/0028-acknowledged-changes.md).
 */
export async function build<Made>(
  context: GitContext,
  key: GitKey,
  make: (temporary: string) => Promise<Made>,
): Promise<Made> {
  const path = repositoryPath(context.root, key)
  if (exists(context, key)) throw new Conflict('the repository exists already', 'git_repository_exists')
  const temporary = temporaryName(path)
  const newFolder = await mkdir(dirname(path), { recursive: true })
  try {
    const made = await make(temporary)
    await rename(temporary, path)
    if (context.durable) {
      await flushFolder(dirname(path))
      if (newFolder !== undefined) await flushFolder(context.root)
    }
    return made
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTEMPTY' || code === 'EEXIST') {
      throw new Conflict('the repository exists already', 'git_repository_exists')
    }
    throw error
  }
}

export async function remove(context: GitContext, key: GitKey): Promise<void> {
  const path = repositoryPath(context.root, key)
  const aside = `${path}.gone-${randomBytes(6).toString('hex')}`
  try {
    await rename(path, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  context.caches.packedRefs.delete(key)
  context.caches.formats.delete(key)
  context.caches.upToDate.delete(key)
  await context.broker.release(path)
  await rm(aside, { recursive: true, force: true, maxRetries: 3 })
}

/** Keys of all repositories, in no particular order. Half-created and half-removed ones are left out. */
export async function* listKeys(context: GitContext): AsyncGenerator<GitKey> {
  for (const folder of await readdir(context.root)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue
    // Somebody may remove copies.
    for (const { name } of await entriesOf(join(context.root, folder))) {
      const key = name.slice(0, -4)
      if (name.endsWith('.git') && isGitKey(key)) yield key
    }
  }
}

export async function ageMs(context: GitContext, key: GitKey): Promise<number> {
  const head = await statOf(join(repositoryPath(context.root, key), 'HEAD'))
  return head ? Date.now() - head.mtimeMs : 0
}

/** Removes half-created and half-removed repositories that are older than a day. */
export async function removeLeftovers(context: GitContext): Promise<number> {
  const before = Date.now() - leftoverMs
  let removed = 0
  for (const folder of await readdir(context.root)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue
    for (const { name } of await entriesOf(join(context.root, folder))) {
      if (!/^[0-9a-f]{24}\.git\.(?:new|gone)-[0-9a-f]{12}$/.test(name)) continue
      const path = join(context.root, folder, name)
      const found = await stat(path).catch(() => undefined)
      if (found === undefined || found.mtimeMs > before) continue
      await rm(path, { recursive: true, force: true, maxRetries: 3 })
      removed += 1
    }
  }
  return removed
}

/** Whether a folder has the objects of a push under way, which may be refused. */
const isQuarantine = (name: string): boolean => name.startsWith('tmp_objdir-')

export async function sizeBytes(context: GitContext, at: GitKey | Quarantine): Promise<number> {
  const { key, directory, scope } = locate(context, at)
  const path = typeof at === 'string' ? directory : scope
  if (!exists(context, key)) throw new NotFound('the repository does not exist', 'git_repository_missing')
  return bytesBelow(path, isQuarantine)
}

/** Makes an independent repository with the branches and tags of another. Other references are not copied. */
export async function fork(
  context: GitContext,
  from: GitKey,
  to: GitKey,
  options: { onlyBranch?: string } = {},
): Promise<void> {
  const source = locate(context, from)
  const { onlyBranch } = options
  if (onlyBranch !== undefined && !isValidBranchName(onlyBranch)) throw new Invalid('not a valid branch name')
  await build(context, to, async (temporary) => {
    const single = onlyBranch === undefined ? [] : ['--single-branch', '--no-tags', `--branch=${onlyBranch}`]
    mustSucceed(
      await context.broker
        .run({
          args: [
            '-c',
            'protocol.file.allow=always',
            'clone',
            '--quiet',
            '--bare',
            '--template=',
            '--local',
            ...single,
            '--',
            source.directory,
            temporary,
          ],
          cwd: context.root,
          environment: { GIT_DIR: temporary },
          kind: 'write',
          timeoutMs: context.limits.transportTimeoutMs,
        })
        .catch((error: unknown) => explainMissing(source, error)),
      'clone',
    )
    // The configuration written by `git clone` holds a path of this server.
    await writeFile(join(temporary, 'config'), await readFile(join(source.directory, 'config')))
    if (onlyBranch === undefined) {
      await writeFile(join(temporary, 'HEAD'), await readFile(join(source.directory, 'HEAD')))
    }
    await flushWhole(context, temporary)
  })
}

/**
 * Copies the objects reachable from `wants` that `to` lacks. They stay unreachable until a reference points at them.
 */
export async function fetchObjects(
  context: GitContext,
  from: GitKey,
  to: GitKey,
  wants: readonly Oid[],
): Promise<void> {
  checkOids(...wants)
  const target = locate(context, to)
  const source = locate(context, from)
  if (wants.length === 0) return
  mustSucceed(
    await context.broker
      .run({
        args: [
          '-c',
          'protocol.file.allow=always',
          '-c',
          'fetch.fsckObjects=false',
          'fetch',
          '--quiet',
          '--no-tags',
          '--no-write-fetch-head',
          '--no-auto-maintenance',
          '--no-recurse-submodules',
          source.directory,
          ...wants,
        ],
        cwd: target.directory,
        kind: 'write',
        timeoutMs: context.limits.transportTimeoutMs,
      })
      .catch((error: unknown) => explainMissing(target, error)),
    'fetch',
  )
}

export async function fsck(context: GitContext, key: GitKey): Promise<FsckReport> {
  const location = locate(context, key)
  const { exitCode, stdout, stderr } = await context.broker
    .run({
      args: ['fsck', '--no-progress', '--no-dangling', '--connectivity-only'],
      cwd: location.directory,
      kind: 'maintenance',
      timeoutMs: context.limits.transportTimeoutMs,
      maxBytes: 4 << 20,
    })
    .catch((error: unknown) => explainMissing(location, error))
  const problems = `${stdout.toString()}\n${stderr}`
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('notice:'))
    .slice(0, 1000)
  return { ok: exitCode === 0, problems }
}
