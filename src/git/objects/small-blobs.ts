import { checkOids, explainMissing, type GitContext, locate } from '../context.ts'
import type { GitKey } from '../git-key.ts'
import type { SmallBlobQuery } from '../git.ts'
import type { Oid } from '../../lib/ids.ts'
import { readContents } from './object-reader.ts'

/** Blobs per batch. */
const batch = 500

/**
 * Yields ids of small blobs in the history of all references, or of `from` without `not`. Throws when git does not list
 * all of them: the caller removes what is not listed.
 */
export async function* listSmallBlobs(
  context: GitContext,
  key: GitKey,
  { from, not = [], maxBytes, signal }: SmallBlobQuery,
): AsyncGenerator<readonly Oid[]> {
  checkOids(...(from ?? []), ...not)
  if (from?.length === 0) return
  const location = locate(context, key)
  const { output, finished } = await context.broker
    .stream({
      args: [
        'rev-list',
        '--objects',
        '--no-object-names',
        '--filter=object:type=blob',
        `--filter=blob:limit=${maxBytes + 1}`,
        ...(from ?? ['--all']),
        ...not.map((oid) => `^${oid}`),
      ],
      name: 'rev-list',
      cwd: location.directory,
      kind: 'maintenance',
      timeoutMs: context.limits.transportTimeoutMs,
      idleMs: context.limits.transportIdleMs,
      signal,
    })
    .catch((error: unknown) => explainMissing(location, error))
  let rest = ''
  let oids: Oid[] = []
  for await (const chunk of output) {
    const lines = (rest + (chunk as Buffer).toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) oids.push(line as Oid)
    if (oids.length < batch) continue
    yield oids
    oids = []
  }
  const { exitCode, stderr } = await finished
  if (exitCode !== 0) throw new Error(`git rev-list failed: ${stderr}`)
  if (oids.length > 0) yield oids
}

/** Contents of small blobs by id; they are not cached. */
export async function readSmallBlobs(
  context: GitContext,
  key: GitKey,
  oids: readonly Oid[],
): Promise<ReadonlyMap<Oid, Buffer>> {
  const contents = new Map<Oid, Buffer>()
  for (let start = 0; start < oids.length; start += batch) {
    for (const [oid, content] of await readContents(context, key, oids.slice(start, start + batch))) {
      contents.set(oid, content)
    }
  }
  return contents
}
