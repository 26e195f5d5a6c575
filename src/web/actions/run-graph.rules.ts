/** A job of a graph. */
export interface GraphJob {
  /** The jobs of a matrix share a key. */
  readonly key: string
  readonly needs: readonly string[]
}

/** The jobs of one key, which stand together. */
export interface GraphNode {
  readonly key: string
  /** Indexes of the jobs; at least one. */
  readonly jobs: readonly number[]
  /** From 0. */
  readonly column: number
}

export interface Graph {
  readonly nodes: readonly GraphNode[]
  /** Indexes of a needed node and of the node that needs it. */
  readonly edges: readonly (readonly [from: number, to: number])[]
  readonly columns: number
}

/** A graph with more edges shows those of the first jobs only. */
const maxEdges = 2000

/**
 * Arranges jobs in columns: each stands after all jobs that it needs. An edge is left out where a longer way leads to the
 * same job.
 */
export function graphOf(jobs: readonly GraphJob[]): Graph {
  const byKey = Map.groupBy(jobs.keys(), (index) => (jobs[index] as GraphJob).key)
  const needsOf = (key: string): readonly string[] => jobs[byKey.get(key)?.[0] ?? -1]?.needs ?? []
  const columns = new Map<string, number>()
  const pluck = (key: string, seen: ReadonlySet<string>): number => {
    const known = columns.get(key)
    if (known !== undefined) return known
    const before = needsOf(key).filter((need) => byKey.has(need) && !seen.has(need))
    const column = Math.max(-1, ...before.map((need) => pluck(need, new Set([...seen, key])))) + 1
    columns.set(key, column)
    return column
  }
  const nodes = [...byKey].map(([key, indexes]) => ({ key, jobs: indexes, column: pluck(key, new Set()) }))
  const positions = new Map(nodes.map(({ key }, position) => [key, position]))
  const edges = nodes.flatMap(({ key }, to) =>
    withoutDetours(needsOf(key), needsOf).flatMap((need) => {
      const from = positions.get(need)
      return from === undefined ? [] : [[from, to] as const]
    }),
  )
  return {
    nodes,
    edges: edges.slice(0, maxEdges),
    columns: Math.max(0, ...nodes.map(({ column }) => column + 1)),
  }
}

/** Leaves out the needs that another need has itself. */
function withoutDetours(needs: readonly string[], needsOf: (key: string) => readonly string[]): readonly string[] {
  const reached = new Set<string>()
  const todo = needs.flatMap(needsOf)
  for (let key = todo.pop(); key !== undefined; key = todo.pop()) {
    if (reached.has(key)) continue
    reached.add(key)
    todo.push(...needsOf(key))
  }
  return needs.filter((need) => !reached.has(need))
}

/**
 * Returns the common name of the jobs of a matrix, and what differs: `test (18, linux)` and `test (20, linux)` are
 * `18, linux` and `20, linux` of `test`. A single job, and names of another form, have no common name.
 */
export function matrixNames(names: readonly string[]): { readonly common: string; readonly own: readonly string[] } {
  const [first = ''] = names
  const common = first.slice(0, Math.max(0, first.indexOf(' (')))
  const isMatrix =
    names.length > 1 && common !== '' && names.every((name) => name.startsWith(`${common} (`) && name.endsWith(')'))
  return isMatrix ? { common, own: names.map((name) => name.slice(common.length + 2, -1)) } : { common: '', own: names }
}
