import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitContext, locate } from '../context.ts'
import type { GitKey } from '../git-key.ts'
import type { StoredFile } from '../git-service.ts'

/** The only files of the object store that clients may fetch (gitprotocol-http, dumb protocol). */
const storedForm =
  /^(?:[0-9a-f]{2}\/(?:[0-9a-f]{38}|[0-9a-f]{62})|pack\/pack-(?:[0-9a-f]{40}|[0-9a-f]{64})\.(?:pack|idx))$/

/** A loose object (`ab/cdef…`), a pack or its index (`pack/pack-….pack`, `.idx`); undefined when it does not exist. */
export async function storedFile(context: GitContext, key: GitKey, name: string): Promise<StoredFile | undefined> {
  if (!storedForm.test(name)) return undefined
  const path = join(locate(context, key).directory, 'objects', name)
  try {
    const { size } = await stat(path)
    return { sizeBytes: size, read: () => createReadStream(path) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** File names of the packs: `pack-….pack`. */
export async function listPacks(context: GitContext, key: GitKey): Promise<readonly string[]> {
  const names = await readdir(join(locate(context, key).directory, 'objects', 'pack')).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  })
  return names.filter((name) => name.endsWith('.pack') && storedForm.test(`pack/${name}`)).sort()
}
