import type { WholeCheck } from '../../access/contributions/doctor.ts'
import { contributionsOf } from '../../access/feature.ts'
import { listJobs, type JobRow } from '../../jobs/queue.ts'
import { inBatches } from '../../lib/in-batches.ts'
import { listNamedBlobs } from './file-scan.store.ts'
import { recount } from './recount.service.ts'

/** Number of rows per read. */
const batch = 200

export const filesCheck: WholeCheck = {
  name: 'files',
  about: 'attachments, pictures and other files are in their stores',
  async *run(services) {
    for (const column of contributionsOf(services).files) {
      for await (const named of inBatches((after?: number) => listNamedBlobs(services.db, column, after ?? 0, batch))) {
        for (const { id, key } of named) {
          if (await services.blobs[column.store].stat(key)) continue
          yield { what: `${column.table} ${id}: its file ${key} is missing from ${column.store}`, state: 'report' }
        }
      }
    }
  },
}

export const countersCheck: WholeCheck = {
  name: 'counters',
  about: 'stored counts are what can be counted',
  async *run(services, { fix }) {
    for await (const { counter, wrong } of recount(services, fix)) {
      const what =
        wrong.id === undefined
          ? `${counter.table}: ${wrong.counted} rows are missing`
          : `${counter.table} ${wrong.id}: ${counter.column} is ${wrong.stored} and should be ${wrong.counted}`
      yield { what, state: fix ? 'fixed' : 'fixable' }
    }
  },
}

export const jobsCheck: WholeCheck = {
  name: 'jobs',
  about: 'no background job has failed for good or waits for another release',
  async *run({ db }) {
    for (const job of await listJobs(db, { state: 'failed', limit: 1000 })) {
      yield {
        what: `job ${job.id} (${job.name}) failed ${howItFailed(job)}: ${job.last_error}`,
        state: 'report',
      }
    }
    for (const job of await listJobs(db, { state: 'waiting', problem: 'unreadable', limit: 1000 })) {
      yield {
        what: `job ${job.id} (${job.name}) waits for a release that can read it: ${job.last_error}`,
        state: 'report',
      }
    }
  },
}

const howItFailed = ({ problem, attempt }: JobRow): string => {
  if (problem === 'permanent') return 'for good, since another attempt would not help'
  return problem === 'crashed' ? 'because its process ended twice' : `after ${attempt} attempts`
}
