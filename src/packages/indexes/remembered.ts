import { perApplication } from '../../access/per-application.ts'
import type { SubjectCtx } from '../../access/context.ts'
import { getRevision } from '../catalog/catalog.service.ts'

/** Most bytes of one index that is remembered; what is larger is made anew each time. */
const maxEntryBytes = 16 << 20

interface Entry {
  readonly revision: number
  readonly value: Promise<object>
  /** Little until it is known how much it is. */
  readonly bytes: number
}

const sizeOf = (value: unknown): number =>
  Buffer.isBuffer(value) || typeof value === 'string'
    ? Buffer.byteLength(value)
    : typeof value === 'object' && value !== null
      ? Object.values(value).reduce<number>((sum, each) => sum + sizeOf(each), 64)
      : 16

/** What was made of registries, by the revision that it was made of. */
export const rememberedIndexes = perApplication((caches) =>
  caches.open<string, Entry>('packages', { maxEntryBytes, sizeOf: ({ bytes }, key) => bytes + key.length }),
)

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
  const indexes = rememberedIndexes(ctx)
  const key = `${ctx.subject.id} ${type ?? ''} ${name}`
  const { revision, changedUnix } = await getRevision(ctx, type)
  const known = indexes.get(key)
  if (known?.revision === revision) return known.value as Promise<Value>
  const value = make(changedUnix)
  indexes.set(key, { revision, value, bytes: 0 })
  try {
    const made = await value
    if (indexes.peek(key)?.value === value) indexes.set(key, { revision, value, bytes: sizeOf(made) })
    return made
  } catch (error) {
    if (indexes.peek(key)?.value === value) indexes.delete(key)
    throw error
  }
}
