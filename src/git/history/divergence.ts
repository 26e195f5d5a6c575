import { NotFound } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { checkOids, explainMissing, locate, type GitContext } from '../context.ts'
import type { Divergence, DivergenceQuery, ReadFrom } from '../git.ts'
import { cached } from './history.ts'

/** Heads that one walk compares: each has one bit of a mask, and the base has the first. */
const maxHeads = 31
const usualLimit = 5000

/**
 * Counts the commits that each head has and the base lacks, and the other way round, in one walk of git over all of them. A
 * head whose history does not meet that of the base within `limit` commits is left out.
 */
export async function divergence(
  context: GitContext,
  at: ReadFrom,
  { base, heads, limit = usualLimit }: DivergenceQuery,
): Promise<ReadonlyMap<Oid, Divergence>> {
  const others = [...new Set(heads)].filter((oid) => oid !== base)
  if (others.length > maxHeads) throw new RangeError(`at most ${maxHeads} heads are compared at once`)
  checkOids(base, ...others)
  const same: readonly [Oid, Divergence][] = heads.includes(base) ? [[base, { ahead: 0, behind: 0 }]] : []
  if (others.length === 0) return new Map(same)
  const location = locate(context, at)
  const name = `${location.scope}:divergence:${limit}:${base}:${others.join(':')}`
  const found = await cached(context, name, async () => {
    const walk = new Walk(base, others)
    let rest = ''
    const end = await context.broker
      .each(
        {
          // Each commit comes after all of its children.
          args: ['rev-list', '--topo-order', '--parents', `--max-count=${limit}`, base, ...others, '--'],
          cwd: location.directory,
          environment: location.environment,
        },
        (chunk) => {
          const lines = (rest + chunk.toString('latin1')).split('\n')
          rest = lines.pop() ?? ''
          for (const line of lines) {
            const [oid, ...parents] = line.split(' ') as Oid[]
            if (oid !== undefined) walk.visit(oid, parents)
            if (walk.isOver) return false
          }
          return true
        },
      )
      .catch((error: unknown) => explainMissing(location, error))
    if (end.exitCode !== 0) throw new NotFound('a commit of the branches does not exist', 'git_object_missing')
    return walk.result()
  })
  return new Map([...same, ...found])
}

/** Follows which tips reach each commit, children first. */
class Walk {
  readonly #heads: readonly Oid[]
  /** The mask of a commit that everything reaches. */
  readonly #all: number
  /** Commits that some listed commit or the query names and that are not listed yet, with the tips that reach them. */
  readonly #waiting = new Map<Oid, number>()
  /** Waiting commits that some tips do not reach. */
  #partial = 0
  readonly #counts: { ahead: number; behind: number }[]

  constructor(base: Oid, heads: readonly Oid[]) {
    this.#heads = heads
    this.#all = heads.reduce((mask, _, index) => mask | bitOf(index), 1)
    this.#counts = heads.map(() => ({ ahead: 0, behind: 0 }))
    this.#reach(base, 1)
    for (const [index, head] of heads.entries()) this.#reach(head, bitOf(index))
  }

  /** The rest of the history belongs to all tips. */
  get isOver(): boolean {
    return this.#partial === 0
  }

  visit(oid: Oid, parents: readonly Oid[]): void {
    const mask = this.#waiting.get(oid) ?? 0
    this.#waiting.delete(oid)
    if (mask !== this.#all) {
      this.#partial -= 1
      this.#count(mask)
    }
    for (const parent of parents) this.#reach(parent, mask)
  }

  #count(mask: number): void {
    const isOfBase = (mask & 1) !== 0
    for (const [index, count] of this.#counts.entries()) {
      const isOfHead = (mask & bitOf(index)) !== 0
      if (isOfHead && !isOfBase) count.ahead += 1
      if (isOfBase && !isOfHead) count.behind += 1
    }
  }

  #reach(oid: Oid, mask: number): void {
    const known = this.#waiting.get(oid)
    const now = (known ?? 0) | mask
    this.#waiting.set(oid, now)
    const wasPartial = known !== undefined && known !== this.#all
    this.#partial += Number(now !== this.#all) - Number(wasPartial)
  }

  /** The counts of the heads that are the same as the base from here on. */
  result(): readonly (readonly [Oid, Divergence])[] {
    let unclear = 0
    for (const mask of this.#waiting.values()) unclear |= (mask & 1) === 0 ? mask : ~mask & this.#all
    return this.#heads.flatMap((head, index) => {
      const count = this.#counts[index]
      return count === undefined || (unclear & bitOf(index)) !== 0 ? [] : [[head, count] as const]
    })
  }
}

/** The bit of a head; the base has the lowest. */
const bitOf = (index: number): number => 1 << (index + 1)
