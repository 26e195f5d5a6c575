/** A job of a graph. */
export interface GraphJob {
  /** The jobs of a matrix share a key. */
  readonly key: string
  readonly needs: readonly string[]
}

/** Where a job stands, from 0. */
export interface GraphPlace {
  readonly column: number
  readonly row: number
}

export interface Graph {
  /** By index of the job. */
  readonly places: readonly GraphPlace[]
  /** Indexes of a needed job and of the job that needs it. */
  readonly edges: readonly (readonly [from: number, to: number])[]
  readonly columns: number
  readonly rows: number
}

/** A graph with more edges shows those of the first jobs only. */
const maxEdges = 2000

/**
 * Arranges jobs in columns: each stands after all jobs that it needs. An edge is left out where a longer way leads to the
 * same job.
 */
export function graphOf(jobs: readonly GraphJob[]): Graph {
  const byKey = Map.groupBy(jobs.keys(), (index) => (jobs[index] as GraphJob).key)
  const columns = new Map<string, number>()
  const pluck = (key: string, seen: ReadonlySet<string>): number => {
    const known = columns.get(key)
    if (known !== undefined) return known
    const needs = jobs[byKey.get(key)?.[0] ?? -1]?.needs ?? []
    const before = needs.filter((need) => byKey.has(need) && !seen.has(need))
    const column = Math.max(-1, ...before.map((need) => pluck(need, new Set([...seen, key])))) + 1
    columns.set(key, column)
    return column
  }
  const filled: number[] = []
  const places = jobs.map(({ key }) => {
    const column = pluck(key, new Set())
    const row = filled[column] ?? 0
    filled[column] = row + 1
    return { column, row }
  })
  const edges = jobs.flatMap(({ needs }, to) =>
    withoutDetours(needs, byKey, jobs).flatMap((need) => (byKey.get(need) ?? []).map((from) => [from, to] as const)),
  )
  return {
    places,
    edges: edges.slice(0, maxEdges),
    columns: filled.length,
    rows: Math.max(0, ...filled.map((count) => count ?? 0)),
  }
}

/** Leaves out the needs that another need has itself. */
function withoutDetours(
  needs: readonly string[],
  byKey: ReadonlyMap<string, readonly number[]>,
  jobs: readonly GraphJob[],
): readonly string[] {
  const needsOf = (key: string): readonly string[] => jobs[byKey.get(key)?.[0] ?? -1]?.needs ?? []
  const reached = new Set<string>()
  const todo = needs.flatMap(needsOf)
  for (let key = todo.pop(); key !== undefined; key = todo.pop()) {
    if (reached.has(key)) continue
    reached.add(key)
    todo.push(...needsOf(key))
  }
  return needs.filter((need) => !reached.has(need))
}
