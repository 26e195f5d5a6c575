import { LRUCache } from 'lru-cache'

/**
 * Keeps the entries that were used last, so many of them at most. It takes memory as it fills: a cache that is told its
 * largest number of entries (`max`) takes it for all of them at once.
 */
export const cacheOf = <Key extends {}, Value extends {}>(
  maxEntries: number,
  options: { readonly ttl?: number } = {},
): LRUCache<Key, Value> => new LRUCache({ ...options, maxSize: maxEntries, sizeCalculation: eachAsOne })

const eachAsOne = () => 1
