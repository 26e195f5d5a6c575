import type { Tx } from '../db/database.ts'
import type { RepoChange } from '../db/tables/repositories.ts'
import type { RepoId } from '../lib/ids.ts'

export const updatePushedOptions = (tx: Tx, id: RepoId, change: Pick<RepoChange, 'is_private' | 'is_template'>) =>
  tx.updateTable('repo').set(change).where('id', '=', id).execute()
