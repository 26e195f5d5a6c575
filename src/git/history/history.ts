import { NotFound } from '../../lib/errors.ts'
import { isTreePath, nameInLine } from '../../lib/file-names.ts'
import type { GitKey, Oid } from '../../lib/ids.ts'
import { type CommandOptions, type CommandOutput, mustSucceed } from '../broker/broker-client.ts'
import { checkOids, explainMissing, type GitContext, type Location, locate, once } from '../context.ts'
import type { Commit, LogQuery, ReadFrom } from '../git.ts'
import { decodeName } from '../objects/object-codec.ts'
import { readCommits } from '../objects/object-reader.ts'

/** Commits that `walk` reads before it leaves the query to git. */
const maxWalkedCommits = 400
/** Commits of a line that `walkLine` reads before it leaves the query to git. */
const maxLineSteps = 20
/** Ancestors that are searched for a known count. */
const maxCountSteps = 64
const maxLogEntries = 1_000_000
/** Larger log pages are not cached. */
const maxRememberedLog = 1000

/** Returns a commit without the end of a long message. */
const readCommit = async (context: GitContext, at: ReadFrom, oid: Oid): Promise<Commit> =>
  (await readCommits(context, at, [oid]))[0]!

/** Runs a reading command in a repository or quarantine. Throws `NotFound` when the repository does not exist. */
export function runReading(
  context: GitContext,
  location: Location,
  options: Omit<CommandOptions, 'cwd'> & { maxBytes?: number },
): Promise<CommandOutput> {
  return context.broker
    .run({ ...options, cwd: location.directory, environment: location.environment })
    .catch((error: unknown) => explainMissing(location, error))
}

function logArguments(query: LogQuery): string[] {
  checkOids(...query.from, ...(query.not ?? []))
  const flags = [
    ...(query.firstParent === true ? ['--first-parent'] : []),
    ...(query.reverse === true ? ['--reverse'] : []),
    ...(query.noMerges === true ? ['--no-merges'] : []),
    ...(query.skip === undefined ? [] : [`--skip=${Math.max(0, query.skip)}`]),
    ...(query.limit === undefined ? [] : [`--max-count=${Math.max(0, query.limit)}`]),
    ...(query.sinceUnix === undefined ? [] : [`--since=${Math.floor(query.sinceUnix)}`]),
    ...(query.untilUnix === undefined ? [] : [`--until=${Math.floor(query.untilUnix)}`]),
  ]
  const path = cleanPath(query.path)
  return [
    ...flags,
    ...query.from,
    ...(query.not ?? []).map((oid) => `^${oid}`),
    '--',
    ...(path === '' ? [] : [literalPath(path)]),
  ]
}

/** A path without repeated and outer slashes. */
export const cleanPath = (path: string | undefined): string =>
  (path ?? '')
    .split('/')
    .filter((part) => part !== '')
    .join('/')

/** Whether a query is about a path that no tree contains, so that no commit touches it. */
const isAboutNothing = ({ path }: Pick<LogQuery, 'path'>): boolean => {
  const clean = cleanPath(path)
  return clean !== '' && !isTreePath(clean)
}

/** A pathspec for a path. Any other magic, `top` included, keeps git from using the Bloom filters of the commit graph. */
export const literalPath = (path: string): string => `:(literal)${path}`

export async function logOids(context: GitContext, at: ReadFrom, query: LogQuery): Promise<readonly Oid[]> {
  if (query.from.length === 0 || query.limit === 0 || isAboutNothing(query)) return []
  const line = await walkLine(context, at, query)
  if (line) return line
  if (query.limit === undefined || query.limit > maxRememberedLog) return revList(context, at, query)
  // The answer for fixed commits never changes, and a query with a path may walk the whole history.
  const { signal: _signal, ...fixed } = query
  const name = `${locate(context, at).scope}:log:${JSON.stringify({ ...fixed, path: cleanPath(query.path) })}`
  return cached(context, name, async () => (await walk(context, at, fixed)) ?? revList(context, at, fixed))
}

async function revList(context: GitContext, at: ReadFrom, query: LogQuery): Promise<readonly Oid[]> {
  const location = locate(context, at)
  const result = await runReading(context, location, {
    args: ['rev-list', ...logArguments(query)],
    signal: query.signal,
    maxBytes: maxLogEntries * 65,
  })
  mustSucceed(result, 'rev-list')
  return result.stdout
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '') as Oid[]
}

/**
 * Lists the commits since an ancestor without a process, when they form a short line of single parents, as in most
 * pushes. No other path leads to these commits, so none is reachable from the ancestor. Returns undefined for other
 * queries.
 */
async function walkLine(context: GitContext, at: ReadFrom, query: LogQuery): Promise<readonly Oid[] | undefined> {
  const { from, not = [], skip = 0, limit = maxLineSteps } = query
  const [tip] = from
  const [end] = not
  const isPlain =
    tip !== undefined &&
    end !== undefined &&
    from.length === 1 &&
    not.length === 1 &&
    cleanPath(query.path) === '' &&
    query.sinceUnix === undefined &&
    query.untilUnix === undefined
  if (!isPlain) return undefined
  checkOids(tip, end)
  const line: Oid[] = []
  for (let oid = tip; oid !== end;) {
    if (line.length === maxLineSteps) return undefined
    const [parent, ...others] = (await readCommit(context, at, oid)).parents
    if (parent === undefined || others.length > 0) return undefined
    line.push(oid)
    oid = parent
  }
  const page = line.slice(skip, skip + limit)
  return query.reverse === true ? page.toReversed() : page
}

/**
 * Lists the first commits of a plain history without a process. git's default order is a queue by committer date; equal
 * dates keep the order of discovery. Returns undefined for other queries and deep pages.
 */
async function walk(context: GitContext, at: ReadFrom, query: LogQuery): Promise<readonly Oid[] | undefined> {
  const { skip = 0, limit } = query
  const plain =
    limit !== undefined &&
    (query.not ?? []).length === 0 &&
    cleanPath(query.path) === '' &&
    query.reverse !== true &&
    query.sinceUnix === undefined &&
    query.untilUnix === undefined
  if (!plain || skip + limit > maxWalkedCommits) return undefined
  checkOids(...query.from)
  const seen = new Set<Oid>(query.from)
  const queue: Commit[] = []
  for (const commit of await readCommits(context, at, [...seen])) insert(queue, commit)
  const found: Oid[] = []
  for (let looked = 0; found.length < skip + limit && looked < maxWalkedCommits; looked += 1) {
    const commit = queue.shift()
    if (commit === undefined) return found.slice(skip)
    if (query.noMerges !== true || commit.parents.length < 2) found.push(commit.oid)
    const parents = (query.firstParent === true ? commit.parents.slice(0, 1) : commit.parents).filter(
      (oid) => !seen.has(oid),
    )
    for (const parent of parents) seen.add(parent)
    for (const parent of await readCommits(context, at, parents)) insert(queue, parent)
  }
  return found.length < skip + limit ? undefined : found.slice(skip)
}

function insert(queue: Commit[], commit: Commit): void {
  const seconds = commit.committer.unixSeconds
  let index = queue.length
  while (index > 0 && queue[index - 1]!.committer.unixSeconds < seconds) index -= 1
  queue.splice(index, 0, commit)
}

export async function log(context: GitContext, at: ReadFrom, query: LogQuery): Promise<readonly Commit[]> {
  return readCommits(context, at, await logOids(context, at, query))
}

/**
 * Caches an answer about fixed ids. Concurrent callers share the computation, so `compute` takes no signal of one
 * caller.
 */
export async function cached<T extends NonNullable<unknown>>(
  context: GitContext,
  name: string,
  compute: () => Promise<T>,
): Promise<T> {
  const known = context.caches.answers.get(name)
  if (known !== undefined) return known as T
  return once(context, name, async () => {
    const value = await compute()
    context.caches.answers.set(name, value)
    return value
  })
}

export async function countCommits(
  context: GitContext,
  at: ReadFrom,
  query: Omit<LogQuery, 'skip' | 'limit' | 'reverse'>,
): Promise<number> {
  if (query.from.length === 0 || isAboutNothing(query)) return 0
  const location = locate(context, at)
  const { from, not = [], path, firstParent, noMerges, sinceUnix, untilUnix } = query
  const name = countName(location, [from, not, cleanPath(path), firstParent, noMerges, sinceUnix, untilUnix])
  return cached(context, name, async () => {
    const isPlain =
      from.length === 1 &&
      not.length === 0 &&
      cleanPath(path) === '' &&
      noMerges !== true &&
      sinceUnix === undefined &&
      untilUnix === undefined
    const near = isPlain ? await countFromKnown(context, at, location, from[0]!, firstParent) : undefined
    if (near !== undefined) return near
    const line = await walkLine(context, at, query)
    if (line) return line.length
    const result = await runReading(context, location, {
      args: ['rev-list', '--count', ...logArguments(query)],
    })
    mustSucceed(result, 'rev-list')
    return Number(result.stdout.toString())
  })
}

/** Returns the bytes on disk of the objects that a commit has and the other commits lack. */
export async function bytesSince(
  context: GitContext,
  key: GitKey,
  commit: Oid,
  others: readonly Oid[],
): Promise<number> {
  await checkCommits(context, key, commit, ...others)
  const args = ['rev-list', '--disk-usage', '--objects', commit, '--not', ...others, '--']
  const result = await runReading(context, locate(context, key), { args })
  mustSucceed(result, 'rev-list')
  return Number(result.stdout.toString())
}

const countName = (location: Location, query: readonly unknown[]): string =>
  `${location.scope}:count:${JSON.stringify(query)}`

/** The commit count of a tip whose line of single parents soon reaches a known count or a root commit. */
async function countFromKnown(
  context: GitContext,
  at: ReadFrom,
  location: Location,
  tip: Oid,
  firstParent: boolean | undefined,
): Promise<number | undefined> {
  let commit = await readCommit(context, at, tip)
  for (let steps = 1; steps <= maxCountSteps; steps += 1) {
    if (commit.parents.length > 1 && firstParent !== true) return undefined
    const parent = commit.parents[0]
    if (parent === undefined) return steps
    const name = countName(location, [[parent], [], '', firstParent, undefined, undefined, undefined])
    const known = context.caches.answers.get(name)
    if (typeof known === 'number') return known + steps
    commit = await readCommit(context, at, parent)
  }
  return undefined
}

/** Throws `NotFound` when a commit does not exist; git's own messages vary. */
async function checkCommits(context: GitContext, at: ReadFrom, ...oids: readonly Oid[]): Promise<void> {
  checkOids(...oids)
  await readCommits(context, at, oids)
}

export async function isAncestor(context: GitContext, at: ReadFrom, ancestor: Oid, descendant: Oid): Promise<boolean> {
  if (ancestor === descendant) return true
  await checkCommits(context, at, ancestor, descendant)
  if ((await readCommit(context, at, descendant)).parents.includes(ancestor)) return true
  const location = locate(context, at)
  return cached(context, `${location.scope}:ancestor:${ancestor}:${descendant}`, async () => {
    const result = await runReading(context, location, { args: ['merge-base', '--is-ancestor', ancestor, descendant] })
    if (result.exitCode > 1) mustSucceed(result, 'merge-base')
    return result.exitCode === 0
  })
}

export async function mergeBase(context: GitContext, at: ReadFrom, one: Oid, other: Oid): Promise<Oid | undefined> {
  if (one === other) return one
  await checkCommits(context, at, one, other)
  if ((await readCommit(context, at, other)).parents.includes(one)) return one
  const location = locate(context, at)
  const found = await cached(context, `${location.scope}:base:${one}:${other}`, async () => {
    const result = await runReading(context, location, { args: ['merge-base', one, other] })
    if (result.exitCode > 1) mustSucceed(result, 'merge-base')
    return { oid: result.stdout.toString().trim() }
  })
  return found.oid === '' ? undefined : (found.oid as Oid)
}

/** Whether the history of a branch or tag contains a commit. Pull request references do not count. */
export async function isOnBranchOrTag(context: GitContext, key: GitKey, commit: Oid): Promise<boolean> {
  checkOids(commit)
  const result = await runReading(context, locate(context, key), {
    args: ['rev-list', '--max-count=1', commit, '--not', '--branches', '--tags', '--'],
  })
  mustSucceed(result, 'rev-list')
  return result.stdout.length === 0
}

export async function eachChangedPath(
  context: GitContext,
  at: ReadFrom,
  query: { from: Oid; not?: Oid | undefined; signal?: AbortSignal },
  visit: (commit: Oid, path: string) => boolean,
): Promise<void> {
  const { from, not, signal } = query
  // Before the first visit: a call whose commit is missing may be made again.
  await checkCommits(context, at, from, ...(not === undefined ? [] : [not]))
  const range = ['--topo-order', '--reverse', from, ...(not === undefined ? [] : [`^${not}`])]
  await walkChanges(context, locate(context, at), range, visit, signal)
}

/**
 * Streams `git log --name-only`. A merge shows paths that differ from all parents (`-c`), so a path belongs to a merge
 * only when the merge changed it.
 */
async function walkChanges(
  context: GitContext,
  location: Location,
  range: readonly string[],
  visit: (commit: Oid, path: string) => boolean,
  signal?: AbortSignal,
): Promise<void> {
  let rest = ''
  let current = '' as Oid
  let isOver = false
  const take = (chunk: Buffer): boolean => {
    const fields = (rest + chunk.toString('latin1')).split('\0')
    rest = fields.pop() ?? ''
    for (const field of fields) {
      const header = /^\n?\u0001([0-9a-f]+)$/.exec(field)
      if (header !== null) {
        current = header[1] as Oid
        continue
      }
      const changed = decodeName(field.startsWith('\n') ? field.slice(1) : field)
      isOver ||= !visit(current, changed)
      if (isOver) return false
    }
    return true
  }
  const end = await context.broker
    .each(
      {
        args: ['log', '--format=%x01%H', '-z', '--name-only', '--no-renames', '-c', '--root', '-r', ...range, '--'],
        cwd: location.directory,
        environment: location.environment,
        signal,
      },
      take,
    )
    .catch((error: unknown) => explainMissing(location, error))
  if (end.exitCode !== 0) throw new NotFound(`a commit of ${range.join(' ')} does not exist`, 'git_object_missing')
  if (!isOver) take(Buffer.from('\0'))
}

/** The commit of each line of a file, in ranges. */
export async function blame(
  context: GitContext,
  at: ReadFrom,
  commit: Oid,
  path: string,
  options: { maxLines?: number } = {},
): Promise<readonly { commit: Oid; originalLine: number; line: number; count: number; path: string }[]> {
  checkOids(commit)
  const location = locate(context, at)
  const name = cleanPath(path)
  if (!isTreePath(name)) throw new NotFound(`${name} does not exist`, 'git_path_missing')
  const range = options.maxLines === undefined ? [] : ['-L', `1,${options.maxLines}`]
  const result = await runReading(context, location, {
    args: ['blame', '--incremental', ...range, commit, '--', name],
    maxBytes: 64 << 20,
  })
  if (/no such path|has only 0 lines/.test(result.stderr)) {
    if (result.stderr.includes('no such path')) throw new NotFound(`${name} does not exist`, 'git_path_missing')
    return []
  }
  // git refuses a range beyond the end of the file.
  if (/has only \d+ lines/.test(result.stderr)) return blame(context, at, commit, path)
  mustSucceed(result, 'blame')
  const found: Array<{ commit: Oid; originalLine: number; line: number; count: number; path: string }> = []
  let entry: { commit: Oid; originalLine: number; line: number; count: number } | undefined
  for (const line of result.stdout.toString('latin1').split('\n')) {
    const header = /^([0-9a-f]{40,64}) (\d+) (\d+) (\d+)$/.exec(line)
    if (header !== null) {
      entry = {
        commit: header[1] as Oid,
        originalLine: Number(header[2]),
        line: Number(header[3]),
        count: Number(header[4]),
      }
    } else if (entry !== undefined && line.startsWith('filename ')) {
      found.push({ ...entry, path: nameInLine(line.slice(9)) })
      entry = undefined
    }
  }
  return found.sort((a, b) => a.line - b.line)
}
