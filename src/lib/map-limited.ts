/**
 * Like `Promise.all` over a map, with at most `limit` concurrent calls. After a failure no more begin, and it
 * throws when those under way have ended: no call goes on behind the back of a caller who tries again.
 */
export async function mapLimited<Item, Result>(
  items: readonly Item[],
  limit: number,
  run: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next
      next += 1
      try {
        results[index] = await run(items[index] as Item, index)
      } catch (error) {
        next = items.length
        throw error
      }
    }
  }
  const workers = Array.from({ length: Math.min(limit, items.length) }, worker)
  await Promise.allSettled(workers)
  await Promise.all(workers)
  return results
}
