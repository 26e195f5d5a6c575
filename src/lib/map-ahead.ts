/** Like `mapLimited` for items that come one after another: yields the results in the order of the items. */
export async function* mapAhead<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  limit: number,
  run: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = []
  try {
    for await (const item of items) {
      const result = run(item)
      // The loop below awaits it, possibly after it failed.
      result.catch(() => {})
      running.push(result)
      if (running.length >= limit) yield running.shift() as Promise<Result>
    }
    while (running.length > 0) yield running.shift() as Promise<Result>
  } finally {
    await Promise.allSettled(running)
  }
}
