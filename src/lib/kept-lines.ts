import { diffArrays } from 'diff'

/** Texts with more lines are compared by their beginnings and ends only. */
const maxLines = 400_000

/** Most edits between two kept lines, where no line is unique: the work grows with their square. */
const maxEdits = 200

/** Most steps of such comparisons in one text. */
const maxSteps = 1_000_000

/** Lines from `begin` up to `end`, exclusive, of both texts. */
interface Gap {
  readonly oldBegin: number
  readonly oldEnd: number
  readonly newBegin: number
  readonly newEnd: number
}

/**
 * Returns for each line of a text the line of its earlier version that it is, or -1 for a new one; both rise. Between equal
 * beginnings and ends, lines that occur once in both versions come first, and then the shortest edit between those. The work
 * is bounded: very different texts have fewer kept lines than they could.
 */
export function keptLines(before: readonly string[], after: readonly string[]): Int32Array {
  const kept = new Int32Array(after.length).fill(-1)
  const gaps: Gap[] = [{ oldBegin: 0, oldEnd: before.length, newBegin: 0, newEnd: after.length }]
  let linesLeft = maxLines * 4
  let stepsLeft = maxSteps
  for (let next = gaps.pop(); next !== undefined; next = gaps.pop()) {
    const gap = withoutEqualEnds(next, before, after, kept)
    const size = gap.oldEnd - gap.oldBegin + gap.newEnd - gap.newBegin
    if (gap.oldBegin === gap.oldEnd || gap.newBegin === gap.newEnd || size > maxLines || size > linesLeft) continue
    linesLeft -= size
    const anchors = uniqueLines(gap, before, after)
    if (anchors.length === 0) {
      stepsLeft -= matchEdits(gap, before, after, kept, Math.min(maxEdits, Math.floor(Math.sqrt(stepsLeft))))
      continue
    }
    let { oldBegin, newBegin } = gap
    for (const [old, now] of [...anchors, [gap.oldEnd, gap.newEnd] as const]) {
      gaps.push({ oldBegin, oldEnd: old, newBegin, newEnd: now })
      if (now < gap.newEnd) kept[now] = old
      oldBegin = old + 1
      newBegin = now + 1
    }
  }
  return kept
}

/** Notes the equal lines at the beginning and the end of a gap, and returns what is between them. */
function withoutEqualEnds(gap: Gap, before: readonly string[], after: readonly string[], kept: Int32Array): Gap {
  let { oldBegin, oldEnd, newBegin, newEnd } = gap
  while (oldBegin < oldEnd && newBegin < newEnd && before[oldBegin] === after[newBegin]) kept[newBegin++] = oldBegin++
  while (oldBegin < oldEnd && newBegin < newEnd && before[oldEnd - 1] === after[newEnd - 1]) kept[--newEnd] = --oldEnd
  return { oldBegin, oldEnd, newBegin, newEnd }
}

/** Returns the lines that occur once on both sides of a gap, as many as rise on both. */
function uniqueLines(gap: Gap, before: readonly string[], after: readonly string[]): (readonly [number, number])[] {
  const { oldBegin, oldEnd, newBegin, newEnd } = gap
  const olds = new Map<string, number>()
  for (let at = oldBegin; at < oldEnd; at++) {
    const line = before[at] as string
    olds.set(line, olds.has(line) ? -1 : at)
  }
  const pairs = new Map<string, readonly [number, number] | undefined>()
  for (let at = newBegin; at < newEnd; at++) {
    const line = after[at] as string
    const old = olds.get(line) ?? -1
    if (old >= 0) pairs.set(line, pairs.has(line) ? undefined : [old, at])
  }
  return longestRise([...pairs.values()].filter((pair) => pair !== undefined))
}

/** Returns the longest part of pairs, in the order of their second number, whose first numbers rise. */
function longestRise(pairs: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  /** For each length, the pair with the smallest number that ends such a rise. */
  const ends: number[] = []
  const previous = new Int32Array(pairs.length).fill(-1)
  const oldOf = (at: number) => (pairs[at] as readonly [number, number])[0]
  for (let at = 0; at < pairs.length; at++) {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (oldOf(ends[middle] as number) < oldOf(at)) low = middle + 1
      else high = middle
    }
    previous[at] = low === 0 ? -1 : (ends[low - 1] as number)
    ends[low] = at
  }
  const rise: (readonly [number, number])[] = []
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] as number) {
    rise.push(pairs[at] as readonly [number, number])
  }
  return rise.toReversed()
}

/** Notes the lines that the shortest edit of a gap keeps, if it is short. Returns the steps that this took. */
function matchEdits(
  { oldBegin, oldEnd, newBegin, newEnd }: Gap,
  before: readonly string[],
  after: readonly string[],
  kept: Int32Array,
  maxEditLength: number,
): number {
  const parts = diffArrays(before.slice(oldBegin, oldEnd), after.slice(newBegin, newEnd), { maxEditLength })
  if (parts === undefined) return maxEditLength ** 2
  let old = oldBegin
  let now = newBegin
  let edits = 0
  for (const { count, added, removed } of parts) {
    if (added || removed) edits += count
    else for (let step = 0; step < count; step++) kept[now + step] = old + step
    if (!added) old += count
    if (!removed) now += count
  }
  return edits ** 2
}
