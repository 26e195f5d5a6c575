import { Type } from 'typebox'
import type { Ctx } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import { job } from '../jobs/job.ts'
import { enqueue } from '../jobs/queue.ts'
import type { ImportId } from '../lib/ids.ts'
import { runImport } from './run-import.service.ts'

/** Runs an import in turns, each from the stored position. */
export const runImportJob = job({
  name: 'runImport',
  pool: 'imports',
  input: Type.Object({ importId: Type.Unsafe<ImportId>(Type.Integer()) }),
  attempts: 5,
  // A step may fetch a large repository or files of many gigabytes.
  timeoutMs: 24 * 3_600_000,
  merge: ({ importId }) => String(importId),
  lane: ({ importId }) => `import ${importId}`,
  async run(ctx: Ctx, { importId }, run) {
    const end = await runImport(ctx, importId, run)
    if (end.kind === 'ended') return
    const options = end.atMs === undefined ? {} : { runAtMs: end.atMs }
    await transaction(ctx.db, (tx) => enqueue(tx, runImportJob, { importId }, options))
  },
})
