import type { Services } from '../../access/context.ts'
import type { ActionJobRow, ActionStatus } from '../../db/tables/actions.ts'
import { pluck } from '../../lib/pluck.ts'
import { statusOfKey } from '../status.rules.ts'
import { needName, shortKey } from '../workflows/job-key.rules.ts'
import { environmentOutput } from '../environment.rules.ts'
import type { Plain } from '../workflows/plain-yaml.ts'
import { listJobsOfRun } from './run.store.ts'
import { listOutputsOf } from './task.store.ts'

/** The jobs that a job needs, by their names in its file. */
export type Needs = Readonly<
  Record<string, { readonly status: ActionStatus; readonly outputs: Readonly<Record<string, string>> }>
>

/** Returns the results and outputs of needed jobs. Of the jobs of a matrix the last non-empty value counts. */
export async function loadNeeds(
  { db }: Pick<Services, 'db'>,
  job: Pick<ActionJobRow, 'job_key' | 'needs' | 'run_id'>,
): Promise<Needs> {
  const keys = JSON.parse(job.needs) as string[]
  if (keys.length === 0) return {}
  const all = await listJobsOfRun(db, job.run_id)
  const outputs = await listOutputsOf(
    db,
    all.flatMap(({ task_id }) => task_id ?? []),
  )
  const byTask = Map.groupBy(outputs, ({ task_id }) => task_id)
  const hasCalls = all.some(({ is_call }) => is_call)
  const evaluate = hasCalls ? (await import('../workflows/expressions.ts')).fillIn : undefined
  const outputsOf = (key: string): Readonly<Record<string, string>> => {
    const jobs = all.filter(({ job_key }) => job_key === key)
    const given = jobs.flatMap((each) => {
      if (each.is_call && evaluate) return Object.entries(outputsOfCall(each, outputsOf, evaluate))
      const own = each.task_id === null ? [] : (byTask.get(each.task_id) ?? [])
      return own.map(({ name, value }) => [name, value] as const)
    })
    return Object.fromEntries(given.filter(([name, value]) => value !== '' && name !== environmentOutput))
  }
  const known = new Set(pluck(all, 'job_key'))
  const nameOf = (key: string): string => needName(key, job.job_key, (each) => known.has(each))
  return Object.fromEntries(
    keys.map((key) => {
      const statuses = all.filter(({ job_key }) => job_key === key).map(({ status }) => status)
      return [nameOf(key), { status: statusOfKey(statuses), outputs: outputsOf(key) }]
    }),
  )
}

/** Returns the outputs of a called workflow. A malformed expression gives an empty output. */
function outputsOfCall(
  call: ActionJobRow,
  outputsOf: (key: string) => Readonly<Record<string, string>>,
  evaluate: (text: string, contexts: Readonly<Record<string, Plain>>) => string,
): Readonly<Record<string, string>> {
  const inner = JSON.parse(call.needs) as string[]
  const jobs = Object.fromEntries(inner.map((key) => [shortKey(key), { outputs: outputsOf(key) }]))
  const wanted = Object.entries(JSON.parse(call.payload) as Readonly<Record<string, string>>)
  return Object.fromEntries(
    wanted.map(([name, text]) => {
      try {
        return [name, evaluate(text, { jobs })]
      } catch {
        // The author of the file wrote the expression; a job that needs the output finds it empty.
        return [name, '']
      }
    }),
  )
}
