/** Most issues that one request changes. */
export const changedAtMost = 250

/** Writes numbers as ranges, such as `1-3,7`. */
export function writeNumbers(numbers: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const last = ranges.at(-1)
    if (last?.[1] === number - 1) last[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
}

/** Reads ranges of numbers, at most as many numbers as a request changes. */
export function readNumbers(text: string): readonly number[] {
  const numbers: number[] = []
  for (const [, first, last] of text.matchAll(/(\d{1,10})(?:-(\d{1,10}))?/g)) {
    const end = Math.min(Number(last ?? first), Number(first) + changedAtMost)
    for (let number = Number(first); number <= end && numbers.length < changedAtMost; number++) numbers.push(number)
  }
  return numbers
}
