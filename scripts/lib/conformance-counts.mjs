/**
 * What the results of runs of the exchange kit say about areas. Results are the kit's: `{name: 'area/scenario', passed,
 * failed, steps: [{label, ok}]}`; steps that are meant to differ are not among them.
 */

/** The area that a result belongs to. */
export const areaOf = (result) => result.name.split('/')[0]

/** How many steps of each area passed. */
export function countByArea(results) {
  const counts = {}
  for (const result of results) counts[areaOf(result)] = (counts[areaOf(result)] ?? 0) + result.passed
  return counts
}

/** Steps by label; the second of the same label in a scenario is another step. */
function labelled(steps) {
  const seen = {}
  return steps.map((step) => {
    seen[step.label] = (seen[step.label] ?? 0) + 1
    return [`${step.label}\n${seen[step.label]}`, step]
  })
}

/**
 * Pairs the steps of two runs by label, since a scenario that breaks off lists also the steps that are meant to differ. A
 * scenario that the second run lacks stays as it is.
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

/** The first run's results, with the steps as passed that passed in either run. */
export const inEither = (first, second) => combine(first, second, (one, other) => one || other)

/** The first run's results, with the steps as passed that passed in both runs. */
export const inBoth = (first, second) => combine(first, second, (one, other) => one && other)
