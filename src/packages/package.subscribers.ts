import { subscriber } from '../events/subscriber.ts'
import { unlinkAllFrom } from './package.store.ts'

/** A package may only be linked to a repository of its own owner. */
export const unlinkTransferred = subscriber({
  name: 'unlinkTransferred',
  on: 'repo.transferred',
  inTransaction: async (tx, { data }) => void (await unlinkAllFrom(tx, data.repoId)),
})
