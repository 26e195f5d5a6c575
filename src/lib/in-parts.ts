/** A list in parts of at most so many, in its order. */
export const inParts = <Item>(all: readonly Item[], size: number): (readonly Item[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))
