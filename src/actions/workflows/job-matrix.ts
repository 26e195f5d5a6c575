import { evaluated, hasExpression, named, PlanProblem, RunProblem } from './evaluation.ts'
import { combinationsOf, type Combination } from './matrix.rules.ts'
import { isPlainMap, type Plain } from './plain-yaml.ts'
import type { PlanScope } from './plan-scope.ts'
import type { WorkflowJob } from './workflow.parse.ts'

const maxCombinations = 256
/** Most expressions in the matrices of a run. */
const maxMatrixExpressions = 2000

/** Returns the combinations of the matrix of a job; an empty one for a job without a matrix. */
export async function combinationsFor(scope: PlanScope, job: WorkflowJob): Promise<readonly Combination[]> {
  if (job.matrix === undefined) return [{}]
  const combined = combinationsOf(await evaluatedMatrix(scope, job, job.matrix), maxCombinations)
  if (!combined.ok) throw new PlanProblem(`${named(job.key)}: ${combined.problem}`)
  return combined.combinations.length > 0 ? combined.combinations : [{}]
}

/** Returns a job whose `strategy` is a map. The file may write it as an expression. */
export async function withStrategyMap(scope: PlanScope, job: WorkflowJob): Promise<WorkflowJob> {
  const { strategy: given } = job.body
  if (typeof given !== 'string') return job
  const strategy = await evaluated(given, scope, named(job.key))
  if (!isPlainMap(strategy)) throw new PlanProblem(`${named(job.key)}: \`strategy\` must be a map`)
  return { ...job, matrix: strategy['matrix'] ?? undefined, body: { ...job.body, strategy } }
}

/** Adds the context `strategy` of one of the jobs of a matrix. */
export function withStrategy(scope: PlanScope, { body }: WorkflowJob, index: number, total: number): PlanScope {
  const given = isPlainMap(body['strategy']) ? body['strategy'] : {}
  const strategy = {
    'fail-fast': given['fail-fast'] ?? true,
    'max-parallel': given['max-parallel'] ?? total,
    'job-index': index,
    'job-total': total,
  }
  return { ...scope, contexts: { ...scope.contexts, strategy } }
}

/** Returns a matrix, or a part of one, with its expressions evaluated. */
async function evaluatedMatrix(scope: PlanScope, job: WorkflowJob, value: Plain): Promise<Plain> {
  if (typeof value === 'string') {
    if (hasExpression(value) && ++scope.usage.matrixExpressions > maxMatrixExpressions) {
      throw new RunProblem(`the matrices of the run have more than ${maxMatrixExpressions} expressions`)
    }
    return evaluated(value, scope, named(job.key))
  }
  if (Array.isArray(value)) {
    const items: Plain[] = []
    for (const each of value as readonly Plain[]) items.push(await evaluatedMatrix(scope, job, each))
    return items
  }
  if (!isPlainMap(value)) return value
  const entries: [string, Plain][] = []
  for (const [key, each] of Object.entries(value)) entries.push([key, await evaluatedMatrix(scope, job, each)])
  return Object.fromEntries(entries)
}
