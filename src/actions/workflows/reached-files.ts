import { maxCallDepth, RunProblem } from './evaluation.ts'
import { plainText } from './plain-yaml.ts'
import type { FindCalled, Origin } from './plan-scope.ts'
import type { Workflow, WorkflowJob } from './workflow.parse.ts'

/** Most files that a deferred call keeps. */
const maxFiles = 100

/** A file that a call reaches. Origins are numbered; the file of the call itself is of origin 0. */
export interface ReachedFile {
  readonly uses: string
  readonly from: number
  readonly found:
    | { readonly ok: true; readonly workflow: Workflow; readonly origin: number }
    | { readonly ok: false; readonly problem: string }
}

/** Returns the workflow that a job calls, as the file writes it; undefined for a job with steps. */
export const usesOf = ({ body }: Pick<WorkflowJob, 'body'>): string | undefined =>
  body['steps'] === undefined ? plainText(body['uses']) : undefined

/** Returns the files that a job reaches by calls of calls. What they contain is decided now, not when the job is planned. */
export async function reachedFiles(
  job: WorkflowJob,
  { find, origin, depth }: { readonly find: FindCalled; readonly origin: Origin | undefined; readonly depth: number },
): Promise<readonly ReachedFile[]> {
  const numbers = new Map<Origin | undefined, number>([[origin, 0]])
  const numberOf = (each: Origin): number => {
    if (!numbers.has(each)) numbers.set(each, numbers.size)
    return numbers.get(each) as number
  }
  const reached: ReachedFile[] = []
  let callers: readonly { readonly jobs: readonly WorkflowJob[]; readonly origin: Origin | undefined }[] = [
    { jobs: [job], origin },
  ]
  for (let level = depth; level < maxCallDepth && callers.length > 0; level++) {
    const next: { readonly jobs: readonly WorkflowJob[]; readonly origin: Origin }[] = []
    for (const caller of callers) {
      const from = numbers.get(caller.origin) as number
      for (const uses of new Set(caller.jobs.flatMap((each) => usesOf(each) ?? []))) {
        if (reached.some((each) => each.uses === uses && each.from === from)) continue
        if (reached.length === maxFiles) throw new RunProblem(`a call reaches more than ${maxFiles} workflow files`)
        const found = await find(uses, caller.origin)
        reached.push({ uses, from, found: found.ok ? { ...found, origin: numberOf(found.origin) } : found })
        if (found.ok) next.push({ jobs: found.workflow.jobs, origin: found.origin })
      }
    }
    callers = next
  }
  return reached
}

/** Returns a function that finds the files that a call has reached. */
export function findReached(files: readonly ReachedFile[]): FindCalled {
  const origins = new Map<number, Origin>()
  const numbers = new Map<Origin, number>()
  const originOf = (number: number): Origin => {
    const origin = origins.get(number) ?? {}
    origins.set(number, origin)
    numbers.set(origin, number)
    return origin
  }
  return async (uses, from) => {
    const number = from === undefined ? 0 : numbers.get(from)
    const found = files.find((file) => file.uses === uses && file.from === number)?.found
    if (!found) return { ok: false, problem: `called workflow "${uses}" does not exist` }
    return found.ok ? { ...found, origin: originOf(found.origin) } : found
  }
}
