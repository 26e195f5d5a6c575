import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { NotFound } from '../../lib/errors.ts'
import { isTreePath } from '../../lib/file-names.ts'
import type { Oid } from '../../lib/ids.ts'
import { mustSucceed } from '../broker/broker-client.ts'
import { checkOids, explainMissing, type GitContext, type Location, locate } from '../context.ts'
import type { DiffQuery, DiffTextQuery, FileChange, FileStatus, ReadFrom } from '../git.ts'
import { runReading } from './history.ts'
import { decodeName } from '../objects/object-codec.ts'
import { emptyTreeOid, missingObjects } from '../objects/object-reader.ts'
import { wordTable } from '../../lib/word-table.ts'

const maxDiffListBytes = 64 << 20
/** Commits per process. */
const commitBatch = 500

const statuses = wordTable<FileStatus>({
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'changed',
})
const whitespaceFlags = {
  'ignore-all': ['-w'],
  'ignore-change': ['-b'],
  'ignore-eol': ['--ignore-space-at-eol'],
  'show-all': [],
} as const

function flagsOf(query: { renames?: boolean; whitespace?: DiffQuery['whitespace'] }): string[] {
  return [query.renames === false ? '--no-renames' : '-M', ...whitespaceFlags[query.whitespace ?? 'show-all']]
}

const pathsOf = (query: DiffQuery): string[] =>
  (query.paths ?? []).filter(isTreePath).map((path) => `:(top,literal)${path}`)

/** Whether a query is only about paths that no tree contains. Without any path, git would compare all files. */
const isAboutNothing = ({ paths = [] }: Pick<DiffQuery, 'paths'>): boolean =>
  paths.length > 0 && !paths.some(isTreePath)

/** Returns both sides of a difference. Throws `NotFound` when one does not exist. */
async function sidesOf(
  context: GitContext,
  at: ReadFrom,
  query: { base: Oid | undefined; head: Oid },
): Promise<[Oid, Oid]> {
  checkOids(query.base, query.head)
  const base = query.base ?? emptyTreeOid(query.head.length)
  const [missing] = await missingObjects(context, at, query.base === undefined ? [query.head] : [base, query.head])
  if (missing !== undefined && missing !== emptyTreeOid(missing.length)) {
    throw new NotFound(`object ${missing} does not exist`, 'git_object_missing')
  }
  return [base, query.head]
}

/** The files that differ, with line counts. Binary files have none. */
export async function diffFiles(context: GitContext, at: ReadFrom, query: DiffQuery): Promise<readonly FileChange[]> {
  const sides = await sidesOf(context, at, query)
  if (isAboutNothing(query)) return []
  const location = locate(context, at)
  const result = await runReading(context, location, {
    args: [
      'diff-tree',
      '-r',
      '-z',
      '--raw',
      '--numstat',
      '--no-abbrev',
      ...flagsOf(query),
      ...sides,
      '--',
      ...pathsOf(query),
    ],
    signal: query.signal,
    maxBytes: maxDiffListBytes,
  })
  mustSucceed(result, 'diff-tree')
  const changes = parseChanges(result.stdout.toString('latin1').split('\0'))
  // When only ignored white space changed, the ids differ but no lines do.
  if (query.whitespace === undefined || query.whitespace === 'show-all') return changes
  return changes.filter(
    (change) =>
      change.status !== 'modified' ||
      change.binary ||
      change.additions + change.deletions > 0 ||
      change.oldMode !== change.newMode,
  )
}

/** Parses `--raw --numstat -z` (latin1): all raw records first, then counts in the same order. */
function parseChanges(fields: readonly string[]): FileChange[] {
  const raw: Array<Omit<FileChange, 'additions' | 'deletions' | 'binary'>> = []
  const counts = new Map<string, { additions: number; deletions: number; binary: boolean }>()
  let index = 0
  while (index < fields.length) {
    const field = fields[index]!.replace(/^\n+/, '')
    index += 1
    if (field.startsWith(':')) {
      const [oldMode = '', newMode = '', oldOid = '', newOid = '', code = ''] = field.slice(1).split(' ')
      const status = statuses[code[0]!] ?? 'changed'
      const moved = status === 'renamed' || status === 'copied'
      const first = fields[index]!
      const second = moved ? fields[index + 1]! : first
      index += moved ? 2 : 1
      raw.push({
        status,
        path: decodeName(second),
        oldMode,
        newMode,
        oldOid: oldOid as Oid,
        newOid: newOid as Oid,
        ...(moved ? { oldPath: decodeName(first), similarity: Number(code.slice(1)) } : {}),
      })
      continue
    }
    const count = /^(\d+|-)\t(\d+|-)\t([^]*)$/.exec(field)
    if (count === null) continue
    let path = count[3]!
    if (path === '') {
      path = fields[index + 1]!
      index += 2
    }
    const binary = count[1] === '-'
    counts.set(decodeName(path), {
      additions: binary ? 0 : Number(count[1]),
      deletions: binary ? 0 : Number(count[2]),
      binary,
    })
  }
  return raw.map((change) => ({
    ...change,
    ...(counts.get(change.path) ?? { additions: 0, deletions: 0, binary: false }),
  }))
}

/** The changes of each commit against its first parent. One process reads all uncached commits. */
export async function commitChanges(
  context: GitContext,
  at: ReadFrom,
  commits: readonly Oid[],
  options: { renames?: boolean; counts?: boolean } = {},
): Promise<ReadonlyMap<Oid, readonly FileChange[]>> {
  checkOids(...commits)
  const location = locate(context, at)
  const renames = options.renames !== false
  const counts = options.counts !== false
  const nameOf = (oid: Oid): string => `${location.scope}:changes:${renames ? 'M' : ''}${counts ? '' : '-'}:${oid}`
  const found = new Map<Oid, readonly FileChange[]>()
  const wanted: Oid[] = []
  for (const oid of new Set(commits)) {
    const known = context.caches.answers.get(nameOf(oid)) as readonly FileChange[] | undefined
    if (known === undefined) wanted.push(oid)
    else found.set(oid, known)
  }
  for (let start = 0; start < wanted.length; start += commitBatch) {
    const batch = wanted.slice(start, start + commitBatch)
    const [missing] = await missingObjects(context, at, batch)
    if (missing !== undefined) throw new NotFound(`commit ${missing} does not exist`, 'git_object_missing')
    const result = await runReading(context, location, {
      args: [
        'log',
        '--no-walk=unsorted',
        '--stdin',
        '-z',
        '--format=%x01%H',
        '-r',
        '--root',
        '--raw',
        ...(counts ? ['--numstat'] : []),
        '--no-abbrev',
        '--diff-merges=first-parent',
        renames ? '-M' : '--no-renames',
      ],
      input: Buffer.from(`${batch.join('\n')}\n`),
      maxBytes: maxDiffListBytes,
    })
    mustSucceed(result, 'log')
    for (const part of result.stdout.toString('latin1').split('\u0001').slice(1)) {
      const fields = part.split('\0')
      const oid = fields[0]!.trim() as Oid
      found.set(oid, parseChanges(fields.slice(1)))
    }
    for (const oid of batch) {
      const changes = found.get(oid) ?? []
      found.set(oid, changes)
      // A large change takes much memory and is cheap to compute.
      if (changes.length < 300) context.caches.answers.set(nameOf(oid), changes)
    }
  }
  return found
}

async function streamText(
  context: GitContext,
  location: Location,
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Readable> {
  const { output } = await context.broker
    .stream({
      args,
      cwd: location.directory,
      environment: location.environment,
      signal,
      timeoutMs: context.limits.transportTimeoutMs,
      idleMs: context.limits.transportIdleMs,
    })
    .catch((error: unknown) => explainMissing(location, error))
  return output
}

export async function diffText(context: GitContext, at: ReadFrom, query: DiffTextQuery): Promise<Readable> {
  const sides = await sidesOf(context, at, query)
  if (isAboutNothing(query)) return Readable.from([])
  return streamText(
    context,
    locate(context, at),
    [
      'diff-tree',
      '-r',
      '-p',
      `-U${Math.max(0, Math.min(query.contextLines ?? 3, 100_000))}`,
      ...(query.binary === true ? ['--binary'] : []),
      ...flagsOf(query),
      ...sides,
      '--',
      ...pathsOf(query),
    ],
    query.signal,
  )
}

export async function patchSeries(
  context: GitContext,
  at: ReadFrom,
  query: {
    base: Oid | undefined
    head: Oid
    binary?: boolean
    /** false leaves out the line with git's version. */
    signature?: boolean
    signal?: AbortSignal
  },
): Promise<Readable> {
  const [base, head] = await sidesOf(context, at, query)
  return streamText(
    context,
    locate(context, at),
    [
      'format-patch',
      '--stdout',
      '-M',
      ...(query.binary === true ? ['--binary'] : []),
      ...(query.signature === false ? ['--no-signature'] : []),
      ...(query.base === undefined ? ['-1', head] : [`${base}..${head}`]),
    ],
    query.signal,
  )
}

/** The stable patch id of a difference, independent of line numbers; `''` when nothing differs. */
export async function patchId(context: GitContext, at: ReadFrom, base: Oid, head: Oid): Promise<string> {
  const location = locate(context, at)
  const name = `${location.scope}:patch-id:${base}:${head}`
  const known = context.caches.answers.get(name)
  if (typeof known === 'string') return known
  const diff = await diffText(context, at, { base, head, binary: true, renames: false })
  const result = await context.broker.run({
    args: ['patch-id', '--stable'],
    cwd: location.directory,
    environment: location.environment,
    input: diff,
  })
  mustSucceed(result, 'patch-id')
  // git has no patch id for purely binary or mode changes; a hash of the changed files serves instead.
  let id = result.stdout.toString().split(' ')[0]!.trim()
  if (id === '') {
    const files = await diffFiles(context, at, { base, head, renames: false })
    id = files.length === 0 ? '' : createHash('sha1').update(JSON.stringify(files)).digest('hex')
  }
  context.caches.answers.set(name, id)
  return id
}
