import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Oid } from '../../lib/ids.ts'
import { once, type GitContext, type PackedRef, type PackedRefs } from '../context.ts'
import { type GitKey, repositoryPath } from '../git-key.ts'

const none: PackedRefs = { stamp: '', list: [], byName: new Map(), fullyPeeled: true }

/** The packed references. An unchanged file costs one `stat`. */
export async function readPackedRefs(context: GitContext, key: GitKey): Promise<PackedRefs> {
  const path = join(repositoryPath(context.root, key), 'packed-refs')
  for (;;) {
    const before = stampOf(path)
    if (before === undefined) return none
    const cached = context.caches.packedRefs.get(key)
    if (cached?.stamp === before) return cached
    const parsed = await once(context, `${key}:packed-refs:${before}`, async () => {
      const text = (await readFile(path)).toString()
      // The file was replaced between both calls.
      if (stampOf(path) !== before) return replaced
      const parsed = parse(text, before)
      context.caches.packedRefs.set(key, parsed)
      return parsed
    })
    if (parsed !== replaced) return parsed
  }
}

const replaced = Symbol('replaced')

function stampOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && `${found.ino}:${found.size}:${found.mtimeNs}`
}

function parse(text: string, stamp: string): PackedRefs {
  const byName = new Map<string, PackedRef>()
  let last = ''
  let fullyPeeled = false
  let isSorted = true
  for (let begin = 0, end = 0; begin < text.length; begin = end + 1) {
    end = text.indexOf('\n', begin)
    if (end === -1) end = text.length
    const line = text.slice(begin, end)
    if (line.startsWith('#')) fullyPeeled = line.includes(' fully-peeled')
    else if (line.startsWith('^')) {
      byName.set(last, { name: last, oid: byName.get(last)!.oid, peeled: line.slice(1) as Oid })
    } else if (line !== '') {
      const space = line.indexOf(' ')
      const name = line.slice(space + 1)
      if (isSorted && compareNames(last, name) >= 0) isSorted = false
      last = name
      byName.set(name, { name, oid: line.slice(0, space) as Oid, peeled: undefined })
    }
  }
  // Other programs may write names in another order.
  const list = [...byName.values()]
  if (!isSorted) list.sort((one, other) => compareNames(one.name, other.name))
  return { stamp, list, byName, fullyPeeled }
}

/** Characters that JavaScript stores as two code units; their order differs from the order of bytes. */
const twoUnits = /[\ud800-\udfff]/

/** Compares names bytewise, as git does: negative, 0 or positive. */
export function compareNames(one: string, other: string): number {
  if (one === other) return 0
  const isLess = one < other
  // Code units and bytes order differently only when a surrogate is involved.
  if (!twoUnits.test(isLess ? one : other)) return isLess ? -1 : 1
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}
