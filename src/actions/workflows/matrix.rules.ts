import { isPlainMap, type Plain } from './plain-yaml.ts'

/** Values of a matrix by its keys; one combination of them is one job. */
export type Combination = Readonly<Record<string, Plain>>

export type MatrixResult =
  | { readonly ok: true; readonly combinations: readonly Combination[] }
  | { readonly ok: false; readonly problem: string }

const same = (one: Plain | undefined, other: Plain | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

const wrong = (problem: string): MatrixResult => ({ ok: false, problem })

/**
 * The combinations of a matrix, without those that `exclude` names. An entry of `include` that shares keys with the matrix
 * extends the combinations that have its values there, or is one more (contract, actions: jobs).
 * @param maxCombinations more are a problem of the file
 */
export function combinationsOf(matrix: Plain, maxCombinations: number): MatrixResult {
  if (!isPlainMap(matrix)) return wrong('a matrix is a map of lists')
  const { include = [], exclude = [], ...axes } = matrix
  if (!Array.isArray(include) || !include.every(isPlainMap)) return wrong('`include` of a matrix is a list of maps')
  if (!Array.isArray(exclude) || !exclude.every(isPlainMap)) return wrong('`exclude` of a matrix is a list of maps')
  const keys = Object.keys(axes).toSorted()
  const stray = exclude.flatMap((each) => Object.keys(each)).find((key) => !keys.includes(key))
  if (stray !== undefined) return wrong(`\`exclude\` names ${stray}, which the matrix does not have`)

  let combinations: Record<string, Plain>[] = keys.length === 0 ? [] : [{}]
  for (const key of keys) {
    const values = axes[key]
    if (!Array.isArray(values)) return wrong(`the values of ${key} in the matrix are no list`)
    if (combinations.length * values.length > maxCombinations) return tooMany(maxCombinations)
    combinations = combinations.flatMap((each) => values.map((value: Plain) => ({ ...each, [key]: value })))
  }
  const hasAll = (combination: Combination, wanted: Combination, of: readonly string[]): boolean =>
    of.every((key) => same(combination[key], wanted[key]))
  const kept = combinations.filter((each) => !exclude.some((out) => hasAll(each, out, Object.keys(out))))
  const added: Combination[] = []
  for (const entry of include) {
    const shared = Object.keys(entry).filter((key) => keys.includes(key))
    const fitting = shared.length === 0 ? [] : kept.filter((each) => hasAll(each, entry, shared))
    for (const each of fitting) {
      for (const [key, value] of Object.entries(entry)) if (!keys.includes(key)) each[key] = value
    }
    if (fitting.length === 0) added.push(entry)
  }
  const all = [...kept, ...added]
  return all.length > maxCombinations ? tooMany(maxCombinations) : { ok: true, combinations: all }
}

const tooMany = (most: number): MatrixResult => wrong(`the matrix has more than ${most} combinations`)

/** What tells the jobs of a matrix apart: the values in the order of their keys. */
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
