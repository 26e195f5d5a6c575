/** Splits a list into chunks of at most `size` items. */
export const inParts = <Item>(all: readonly Item[], size: number): (readonly Item[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))
