import type { Services } from '../../access/context.ts'
import { recordAct } from '../../audit/audit.ts'
import { transaction } from '../../db/database.ts'
import { NotFound } from '../../lib/errors.ts'

/** Requests a run of a task in the background; throws `NotFound` for an unknown name. */
export async function runTask({ db, tasks }: Pick<Services, 'db' | 'tasks'>, name: string): Promise<void> {
  if (!(await tasks.runNow(name))) throw new NotFound(`task ${name} does not exist`, 'task_not_found')
  await transaction(db, (tx) => recordAct(tx, { action: 'task.run', about: { kind: 'task', id: null, name } }))
}
