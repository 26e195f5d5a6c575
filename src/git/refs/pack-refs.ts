import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isZeroOid } from '../../lib/refs.ts'
import { isValidRefName } from '../../lib/ref-name.ts'
import { type GitContext, locate } from '../context.ts'
import { flushRefs } from '../files/flush.ts'
import { removeAbandonedLocks } from '../files/leftovers.ts'
import { whileHolding } from '../files/owned-lock.ts'
import type { GitKey } from '../git-key.ts'
import type { RefStep } from '../git.ts'
import { objectInfos, peel } from '../objects/object-reader.ts'
import { listLoose } from './ref-reader.ts'

/**
 * Makes many updates in the file `packed-refs`, as git packs references: under git's lock, the file is replaced, and then
 * the loose files that would hide its values go. Throws when an object is missing.
 */
export async function packRefs(context: GitContext, key: GitKey, updates: RefStep['updates']): Promise<void> {
  const { directory } = locate(context, key)
  const path = join(directory, 'packed-refs')
  const lines = await linesOf(context, key, updates)
  await removeAbandonedLocks(context, key, ['packed-refs'])
  await whileHolding(context, `${path}.lock`, async () => {
    const text = await readFile(path, 'latin1').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return allPeeled
      throw error
    })
    await writeFile(`${path}.made`, changed(text, lines), { encoding: 'latin1', flush: context.durable })
    await rename(`${path}.made`, path)
    const wanted = new Set(updates.map(({ ref }) => ref))
    const hiding = (await listLoose(context, key)).filter((name) => wanted.has(name))
    for (const name of hiding) await rm(join(directory, name), { force: true })
    await flushRefs(context, directory, hiding)
  })
}

/** First lines of the file. git peels entries without a second line only when not all tags have one. */
const allPeeled = '# pack-refs with: peeled fully-peeled sorted \n'
const notAllPeeled = '# pack-refs with: sorted \n'

/** The lines of each reference by its name as bytes (latin1); undefined for deleted ones. */
async function linesOf(
  context: GitContext,
  key: GitKey,
  updates: RefStep['updates'],
): Promise<ReadonlyMap<string, string | undefined>> {
  const set = updates.filter((update) => !isZeroOid(update.new))
  const infos = await objectInfos(context, key, [...new Set(set.map((update) => update.new))])
  const lines = new Map<string, string | undefined>()
  for (const { ref, new: oid } of updates) {
    if (!isValidRefName(ref)) throw new Error(`the reference ${ref} has no valid name`)
    const name = Buffer.from(ref).toString('latin1')
    const type = infos.get(oid)?.type
    if (isZeroOid(oid)) lines.set(name, undefined)
    else if (type === undefined) throw new Error(`the object ${oid} of ${ref} is missing`)
    else {
      const peeled = type === 'tag' ? await peel(context, key, oid) : undefined
      lines.set(name, `${oid} ${name}\n${peeled ? `^${peeled.oid}\n` : ''}`)
    }
  }
  return lines
}

/** The text of the file after the changes. */
function changed(text: string, lines: ReadonlyMap<string, string | undefined>): string {
  const all = new Map<string, string>()
  let last = ''
  for (const line of text.split('\n')) {
    if (line.startsWith('^')) all.set(last, `${all.get(last)}${line}\n`)
    else if (line !== '' && !line.startsWith('#')) {
      last = line.slice(line.indexOf(' ') + 1)
      all.set(last, `${line}\n`)
    }
  }
  for (const [name, each] of lines) {
    if (each === undefined) all.delete(name)
    else all.set(name, each)
  }
  // Characters of latin1 are in the order of bytes.
  const names = [...all.keys()].sort((one, other) => (one < other ? -1 : 1))
  const head = / fully-peeled( |$)/m.test(text.slice(0, text.indexOf('\n'))) ? allPeeled : notAllPeeled
  return head + names.map((name) => all.get(name)).join('')
}
