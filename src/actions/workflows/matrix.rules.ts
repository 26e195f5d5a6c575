import { isPlainMap, type Plain } from './plain-yaml.ts'

/** The values of a matrix by key. Each combination is one job. */
export type Combination = Readonly<Record<string, Plain>>

export type MatrixResult =
  | { readonly ok: true; readonly combinations: readonly Combination[] }
  | { readonly ok: false; readonly problem: string }

const same = (one: Plain | undefined, other: Plain | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

const fail = (problem: string): MatrixResult => ({ ok: false, problem })

/**
 * Returns the combinations of a matrix without those of `exclude`. An entry of `include` that shares keys with the matrix
 * extends the combinations with the same values, or is a further combination (contract, actions: jobs).
 */
export function combinationsOf(matrix: Plain, maxCombinations: number): MatrixResult {
  if (!isPlainMap(matrix)) return fail('`strategy.matrix` must be a map of lists')
  const { include = [], exclude = [], ...axes } = matrix
  if (!Array.isArray(include) || !include.every(isPlainMap)) {
    return fail('`strategy.matrix.include` must be a list of maps')
  }
  if (!Array.isArray(exclude) || !exclude.every(isPlainMap)) {
    return fail('`strategy.matrix.exclude` must be a list of maps')
  }
  const keys = Object.keys(axes).toSorted()
  const unknown = exclude.flatMap((each) => Object.keys(each)).find((key) => !keys.includes(key))
  if (unknown !== undefined) {
    return fail(`\`strategy.matrix.exclude\` names "${unknown}", which the matrix does not have`)
  }

  let combinations: Record<string, Plain>[] = keys.length === 0 ? [] : [{}]
  for (const key of keys) {
    const values = axes[key]
    if (!Array.isArray(values)) return fail(`\`strategy.matrix.${key}\` must be a list`)
    if (combinations.length * values.length > maxCombinations) return tooMany(maxCombinations)
    combinations = combinations.flatMap((each) => values.map((value: Plain) => ({ ...each, [key]: value })))
  }
  const hasAll = (combination: Combination, wanted: Combination, of: readonly string[]): boolean =>
    of.every((key) => same(combination[key], wanted[key]))
  const kept = combinations.filter((each) => !exclude.some((out) => hasAll(each, out, Object.keys(out))))
  const added: Combination[] = []
  for (const entry of include) {
    const shared = Object.keys(entry).filter((key) => keys.includes(key))
    const matching = shared.length === 0 ? [] : kept.filter((each) => hasAll(each, entry, shared))
    for (const each of matching) {
      for (const [key, value] of Object.entries(entry)) if (!keys.includes(key)) each[key] = value
    }
    if (matching.length === 0) added.push(entry)
  }
  const all = [...kept, ...added]
  return all.length > maxCombinations ? tooMany(maxCombinations) : { ok: true, combinations: all }
}

const tooMany = (max: number): MatrixResult => fail(`\`strategy.matrix\` has more than ${max} combinations`)

/** Returns the suffix of the name of a matrix job: the values in the order of their keys. */
export const combinationText = (combination: Combination): string => {
  const values = Object.keys(combination)
    .toSorted()
    .map((key) => textOf(combination[key]))
  return values.length === 0 ? '' : ` (${values.join(', ')})`
}

const textOf = (value: Plain | undefined): string => {
  if (typeof value === 'string') return value
  return value === null || value === undefined ? '' : JSON.stringify(value)
}
