import { perApplication } from '../../access/per-application.ts'
import type { SubjectCtx } from '../../access/context.ts'
import { getRevision } from '../catalog/catalog.service.ts'

/** Largest cached value in bytes; larger ones are made for each request. */
const maxEntryBytes = 16 << 20

interface Entry {
  readonly revision: number
  readonly value: Promise<object>
  /** 0 until the value is made. */
  readonly bytes: number
}

const sizeOf = (value: unknown): number =>
  Buffer.isBuffer(value) || typeof value === 'string'
    ? Buffer.byteLength(value)
    : typeof value === 'object' && value !== null
      ? Object.values(value).reduce<number>((sum, each) => sum + sizeOf(each), 64)
      : 16

/** Values made from registries, with the revision they were made from. */
export const registryCaches = perApplication((caches) =>
  caches.open<string, Entry>('packages', { maxEntryBytes, sizeOf: ({ bytes }, key) => bytes + key.length }),
)

/**
 * Returns what `make` makes from the owner's registry, cached until the registry changes. Concurrent callers share one
 * call. The
 * value must not depend on the caller, whose rights are checked before.
 * @param name distinguishes the values of one registry
 */
export async function cachedByRevision<Value extends object>(
  ctx: SubjectCtx,
  type: string | undefined,
  name: string,
  make: (changedUnix: number) => Promise<Value>,
): Promise<Value> {
  const indexes = registryCaches(ctx)
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
