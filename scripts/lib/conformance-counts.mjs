/**
 * Counts steps per area. Results have the kit's shape: `{name: 'area/scenario', passed, failed, steps: [{label, ok}]}`,
 * without the steps that differ on purpose.
 */

/** The area of a result. */
export const areaOf = (result) => result.name.split('/')[0]

/** The number of passing steps per area. */
export function countByArea(results) {
  const counts = {}
  for (const result of results) counts[areaOf(result)] = (counts[areaOf(result)] ?? 0) + result.passed
  return counts
}

/** Steps by label. A repeated label in a scenario is another step. */
function labelled(steps) {
  const seen = {}
  return steps.map((step) => {
    seen[step.label] = (seen[step.label] ?? 0) + 1
    return [`${step.label}\n${seen[step.label]}`, step]
  })
}

/**
 * Pairs the steps of two runs by label, because a scenario that breaks off also lists the steps that differ on purpose. A
 * scenario that the second run lacks stays unchanged.
 */
function combine(first, second, isOk) {
  const others = new Map(second.map((result) => [result.name, new Map(labelled(result.steps))]))
  return first.map((result) => {
    const other = others.get(result.name)
    if (other === undefined) return result
    const steps = labelled(result.steps).map(([key, step]) => ({
      ...step,
      ok: isOk(step.ok, other.get(key)?.ok === true),
    }))
    const passed = steps.filter((step) => step.ok).length
    return { ...result, steps, passed, failed: result.passed + result.failed - passed }
  })
}

/** The first run's results; a step passes when it passed in either run. */
export const inEither = (first, second) => combine(first, second, (one, other) => one || other)

/** The first run's results; a step passes when it passed in both runs. */
export const inBoth = (first, second) => combine(first, second, (one, other) => one && other)
