import { LRUCache } from 'lru-cache'
import { ownService } from '../access/own-service.ts'
import type { SubjectCtx } from '../access/context.ts'
import { getRevision } from './catalog.service.ts'

/** Most bytes of indexes that a process remembers, and of one of them; what is larger is made anew each time. */
const maxBytes = 32 << 20
const maxEntryBytes = 16 << 20

interface Entry {
  readonly revision: number
  readonly value: Promise<object>
}

const sizeOf = (value: unknown): number =>
  Buffer.isBuffer(value) || typeof value === 'string'
    ? Buffer.byteLength(value)
    : typeof value === 'object' && value !== null
      ? Object.values(value).reduce<number>((sum, each) => sum + sizeOf(each), 64)
      : 16

/** What was made of registries, by the revision that it was made of. */
export const rememberedIndexes = ownService('the remembered indexes of packages', {
  open: () => new LRUCache<string, Entry>({ maxSize: maxBytes, maxEntrySize: maxEntryBytes }),
  close: (indexes) => indexes.clear(),
})

/**
 * Gives what `make` makes of the owner's registry, made anew when anything in it has changed. Those who ask for it at once
 * wait for one making. Whether the caller may have it was asked before, and is no part of it.
 * @param type the registry; undefined for all of them together
 * @param name tells it from others of the registry
 */
export async function remembered<Value extends object>(
  ctx: SubjectCtx,
  type: string | undefined,
  name: string,
  make: (changedUnix: number) => Promise<Value>,
): Promise<Value> {
  const indexes = rememberedIndexes.of(ctx)
  const key = `${ctx.subject.id} ${type ?? ''} ${name}`
  const { revision, changedUnix } = await getRevision(ctx, type)
  const known = indexes.get(key)
  if (known?.revision === revision) return known.value as Promise<Value>
  const value = make(changedUnix)
  // Counted as little until it is known how much it is.
  indexes.set(key, { revision, value }, { size: 1 })
  try {
    const made = await value
    if (indexes.peek(key)?.value === value) indexes.set(key, { revision, value }, { size: sizeOf(made) + key.length })
    return made
  } catch (error) {
    if (indexes.peek(key)?.value === value) indexes.delete(key)
    throw error
  }
}
