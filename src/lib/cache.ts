import { LRUCache } from 'lru-cache'

/**
 * Creates an LRU cache with a maximum number of entries. It allocates memory as it fills, unlike `max` of the package.
 */
export const cacheOf = <Key extends {}, Value extends {}>(
  maxEntries: number,
  options: { readonly ttl?: number } = {},
): LRUCache<Key, Value> => new LRUCache({ ...options, maxSize: maxEntries, sizeCalculation: eachAsOne })

const eachAsOne = () => 1
